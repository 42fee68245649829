/** The part of a browser's storage that is used. */
export interface KeyValueStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Values that outlive the page where the browser lets them, and else live as long as it. */
export class KeptValues {
  readonly #storage: KeyValueStorage | undefined;
  readonly #memory = new Map<string, string>();
  readonly #prefix: string;

  constructor(storage: () => KeyValueStorage, prefix: string) {
    this.#prefix = prefix;
    try {
      this.#storage = storage();
    } catch {
      // Blocked by the browser, as in a sandboxed frame.
    }
  }

  get(name: string): string | undefined {
    try {
      return this.#storage?.getItem(this.#prefix + name) ?? this.#memory.get(name);
    } catch {
      return this.#memory.get(name);
    }
  }

  set(name: string, value: string | undefined): void {
    if (value === undefined) this.#memory.delete(name);
    else this.#memory.set(name, value);
    try {
      if (value === undefined) this.#storage?.removeItem(this.#prefix + name);
      else this.#storage?.setItem(this.#prefix + name, value);
    } catch {
      // Full or blocked: the copy in memory counts, not what is left of an older one.
      this.#forget(name);
    }
  }

  #forget(name: string): void {
    try {
      this.#storage?.removeItem(this.#prefix + name);
    } catch {
      // Blocked altogether.
    }
  }
}

/** The used subset of the browser's Storage. */
export interface KeyValueStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Values that survive a reload; in memory only if the browser blocks storage. */
export class PersistentValues {
  readonly #storage: KeyValueStorage | undefined;
  readonly #memory = new Map<string, string>();
  readonly #prefix: string;

  constructor(storage: () => KeyValueStorage, prefix: string) {
    this.#prefix = prefix;
    try {
      this.#storage = storage();
    } catch {
      // The browser blocks storage, for example in a sandboxed frame.
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
      // Storage is full or blocked: the copy in memory is used, so a stale stored one must go.
      this.#removeStored(name);
    }
  }

  #removeStored(name: string): void {
    try {
      this.#storage?.removeItem(this.#prefix + name);
    } catch {
      // Storage is blocked.
    }
  }
}

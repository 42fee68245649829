import type { Config } from "../../config/index.ts";

/** The configuration in force, which a reload replaces. */
export class LiveConfig {
  #current: Config;
  /** Reads as the configuration in force: code that reads a setting at the time of use follows reloads. */
  readonly view: Config;

  constructor(config: Config) {
    this.#current = config;
    // The target is empty, because a proxy of a frozen object must return the values of that object.
    this.view = new Proxy({} as Config, {
      get: (_target, key) => Reflect.get(this.#current, key),
      has: (_target, key) => Reflect.has(this.#current, key),
      ownKeys: () => Reflect.ownKeys(this.#current),
      getOwnPropertyDescriptor: (_target, key) => {
        const found = Reflect.getOwnPropertyDescriptor(this.#current, key);
        return found && { ...found, configurable: true, writable: false };
      },
    });
  }

  get current(): Config {
    return this.#current;
  }

  replace(config: Config): void {
    this.#current = config;
  }
}

/** Computes a value from a part of the configuration, and again after that part has changed. */
export const derived = <S, T>(source: () => S, compute: (source: S) => T): (() => T) => {
  let known: { readonly source: S; readonly value: T } | undefined;
  return () => {
    const now = source();
    if (known === undefined || known.source !== now) known = { source: now, value: compute(now) };
    return known.value;
  };
};

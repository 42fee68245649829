import type { Listener } from "../contract/ports/bus.ts";

/** The listeners of a backbone's health, so that no part of the process has to poll it many times a second. */
export class HealthListeners {
  readonly #listeners = new Set<() => void>();

  add(listener: () => void): Listener {
    // Wrapped, because the same function may be registered twice.
    const own = () => listener();
    this.#listeners.add(own);
    return { close: () => void this.#listeners.delete(own) };
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

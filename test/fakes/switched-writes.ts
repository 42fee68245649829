import type { WriteAvailability } from "../../core/contract/ports/backbone.ts";

/** Write availability that a test switches off and on. */
export class SwitchedWrites implements WriteAvailability {
  readonly #listeners = new Set<() => void>();
  problem: string | undefined;

  onChange(listener: () => void): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => void this.#listeners.delete(listener) };
  }

  /** Number of listeners. */
  get watchers(): number {
    return this.#listeners.size;
  }

  fail(problem = "no quorum"): void {
    this.problem = problem;
    this.#notify();
  }

  work(): void {
    this.problem = undefined;
    this.#notify();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

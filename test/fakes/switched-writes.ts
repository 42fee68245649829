import type { WriteAvailability } from "../../core/contract/ports/write-availability.ts";

/** Writes that a test stops and lets go on. */
export class SwitchedWrites implements WriteAvailability {
  readonly #listeners = new Set<() => void>();
  problem: string | undefined;

  onChange(listener: () => void): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => void this.#listeners.delete(listener) };
  }

  /** How many wait for a change. */
  get watchers(): number {
    return this.#listeners.size;
  }

  fail(problem = "no quorum"): void {
    this.problem = problem;
    this.#tell();
  }

  work(): void {
    this.problem = undefined;
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

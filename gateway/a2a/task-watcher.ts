/** A piece of an answer as the model writes it. */
export interface Delta {
  /** Grows when a text begins anew. */
  readonly attempt: number;
  readonly offset: number;
  readonly text: string;
}

/** One who waits for news of a task. */
export class TaskWatcher {
  readonly #closed: () => void;
  #deltas: Delta[] = [];
  #isPoked = false;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(closed: () => void) {
    this.#closed = closed;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  poke(): void {
    this.#isPoked = true;
    this.#wake?.();
  }

  add(delta: Delta): void {
    this.#deltas.push(delta);
    this.#wake?.();
  }

  /** Waits for a change, for deltas, or for the close. True: the task may have changed since the last call. */
  async news(): Promise<boolean> {
    if (!this.#isPoked && !this.#isClosed && this.#deltas.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const mayHaveChanged = this.#isPoked;
    this.#isPoked = false;
    return mayHaveChanged;
  }

  takeDeltas(): readonly Delta[] {
    const taken = this.#deltas;
    this.#deltas = [];
    return taken;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closed();
    this.#wake?.();
  }
}

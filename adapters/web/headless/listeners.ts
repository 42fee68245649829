/** Calls listeners one after the other, also if one of them causes the next change or throws. */
export class Listeners {
  readonly #listeners = new Set<() => void>();
  #isNotifying = false;
  #isDue = false;

  /** Returns the function that removes the listener. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(): void {
    this.#isDue = true;
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    for (let round = 0; this.#isDue && round < MAX_ROUNDS; round++) {
      this.#isDue = false;
      for (const listener of [...this.#listeners]) callSafely(listener);
    }
    this.#isNotifying = false;
    if (this.#isDue)
      console.error("mooring: a listener changes the chat whenever it is called; it is not called again");
  }
}

const MAX_ROUNDS = 100;

/** An error of the page must not end the connection; it is reported as an uncaught one. */
const callSafely = (listener: () => void): void => {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
};

import { setMaxListeners } from "node:events";

/**
 * A controller of its own that also follows a longer-lived signal, until it is released.
 * AbortSignal.any would do, but on Node 20 each one stays in memory as long as the signal it follows.
 */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #followed: AbortSignal;
  readonly #follow = () => this.#controller.abort(this.#followed.reason);

  constructor(followed: AbortSignal) {
    this.#followed = followed;
    // Many may follow one signal, and each is released: that is no leak to warn of. Not 0: Node 20 cannot read that back,
    // and undici tries to.
    setMaxListeners(Number.POSITIVE_INFINITY, followed, this.signal);
    if (followed.aborted) this.#follow();
    else followed.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  release(): void {
    this.#followed.removeEventListener("abort", this.#follow);
  }
}

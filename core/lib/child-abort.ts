import { setMaxListeners } from "node:events";

/**
 * A controller of its own that also follows a longer-lived signal, until it is released.
 * AbortSignal.any would do, but on Node 20 each one stays in memory as long as the signal it follows.
 */
export class ChildAbort {
  readonly #controller = new AbortController();
  readonly #followers: Set<ChildAbort>;

  constructor(followed: AbortSignal) {
    // Many tools may listen to it at once: that is no leak to warn of. Not 0: Node 20 cannot read that back, and undici
    // tries to.
    setMaxListeners(Number.POSITIVE_INFINITY, this.signal);
    this.#followers = followersOf(followed);
    this.#followers.add(this);
    if (followed.aborted) this.abort(followed.reason);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  release(): void {
    this.#followers.delete(this);
  }
}

const followers = new WeakMap<AbortSignal, Set<ChildAbort>>();

/** All behind one listener: a signal goes through its whole list of listeners whenever one is added or removed. */
const followersOf = (followed: AbortSignal): Set<ChildAbort> => {
  const known = followers.get(followed);
  if (known) return known;
  const made = new Set<ChildAbort>();
  followers.set(followed, made);
  followed.addEventListener("abort", () => {
    for (const follower of made) follower.abort(followed.reason);
  });
  return made;
};

import { setMaxListeners } from "node:events";
import type { Clock } from "../contract/ports/clock.ts";

/**
 * An abort controller that also follows a longer-lived signal until it is released.
 * On Node 20 the result of AbortSignal.any stays in memory as long as the signal that it follows.
 */
export class ChildAbort {
  readonly #controller = new AbortController();
  readonly #followers: Set<ChildAbort>;

  constructor(followed: AbortSignal) {
    // Many tools listen at once, so Node must not warn of a leak. Not 0, because undici fails to read that on Node 20.
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

/** All followers share one listener, because adding or removing a listener is linear in their number. */
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

/** Settles like the promise, or rejects with the signal's reason first, even if the work ignores the signal. */
export const raceAbort = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    const end = (settle: () => void) => {
      signal.removeEventListener("abort", onAbort);
      settle();
    };
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });

/** Waits; rejects with the signal's reason if it aborts first. */
export const pause = async (clock: Clock, ms: number, signal: AbortSignal): Promise<void> => {
  let cancel = () => {};
  const over = new Promise<void>((resolve) => {
    const timer = clock.after(ms, resolve);
    cancel = () => timer.cancel();
  });
  try {
    await raceAbort(over, signal);
  } finally {
    cancel();
  }
};

/** Settles as the work does, or with the result of `late` after the timeout. It does not abort the work. */
export const withinDeadline = <T>(clock: Clock, ms: number, work: Promise<T>, late: () => T | Promise<T>): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const timer = clock.after(ms, () => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    });
    work.then(resolve, reject).finally(() => timer.cancel());
  });

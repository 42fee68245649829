import type { Store } from "../contract/store.ts";
import type { SessionWindow } from "./session-window.ts";

/** The size limit of the cache, in characters. */
const MAX_CHARS = 16_000_000;

/** An LRU cache of session windows. */
export class WindowCache {
  readonly #windows = new Map<string, SessionWindow>();
  #chars = 0;

  get(sessionId: string): SessionWindow | undefined {
    return this.#windows.get(sessionId);
  }

  /** Evicts the least recently used windows. */
  keep(window: SessionWindow): void {
    this.drop(window.sessionId);
    this.#windows.set(window.sessionId, window);
    this.#chars += weightOf(window);
    for (const sessionId of this.#windows.keys()) {
      if (this.#chars <= MAX_CHARS || sessionId === window.sessionId) return;
      this.drop(sessionId);
    }
  }

  drop(sessionId: string): void {
    const known = this.#windows.get(sessionId);
    if (known === undefined) return;
    this.#windows.delete(sessionId);
    this.#chars -= weightOf(known);
  }
}

const byStore = new WeakMap<Store, WindowCache>();

/** All users of an exclusive store share one cache, because every append updates it and no other process writes. */
export const windowCacheOf = (store: Store): WindowCache => {
  if (!store.exclusive) return new WindowCache();
  const known = byStore.get(store);
  if (known) return known;
  const made = new WindowCache();
  byStore.set(store, made);
  return made;
};

/** The constant is the overhead of an empty window. */
const weightOf = ({ chars }: SessionWindow): number => chars + 500;

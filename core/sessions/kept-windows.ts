import type { Store } from "../contract/store.ts";
import type { SessionWindow } from "./session-window.ts";

/** Characters of windows that are kept in memory. */
const MOST_CHARS = 16_000_000;

/** The windows of the sessions that were used last. */
export class KeptWindows {
  readonly #windows = new Map<string, SessionWindow>();
  #chars = 0;

  get(sessionId: string): SessionWindow | undefined {
    return this.#windows.get(sessionId);
  }

  /** The least recently used go first. */
  keep(window: SessionWindow): void {
    this.drop(window.sessionId);
    this.#windows.set(window.sessionId, window);
    this.#chars += weightOf(window);
    for (const sessionId of this.#windows.keys()) {
      if (this.#chars <= MOST_CHARS || sessionId === window.sessionId) return;
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

const byStore = new WeakMap<Store, KeptWindows>();

/** Of a store that nobody else writes to, everybody keeps the same: whoever writes a history brings them up to date. */
export const keptWindowsOf = (store: Store): KeptWindows => {
  if (!store.exclusive) return new KeptWindows();
  const known = byStore.get(store);
  if (known) return known;
  const made = new KeptWindows();
  byStore.set(store, made);
  return made;
};

/** A window costs something even if nothing was said. */
const weightOf = ({ chars }: SessionWindow): number => chars + 500;

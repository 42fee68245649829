import { RevisionConflict } from "../contract/app-error.ts";
import type { Store } from "../contract/store.ts";
import type { HistoryEntry, SaidEntry, TurnEntry } from "./history-entry.ts";
import { historyKey } from "./history-entry.ts";
import { type KeptWindows, keptWindowsOf } from "./kept-windows.ts";
import { readHistory } from "./read-history.ts";
import type { SessionState } from "./session-state.ts";
import { sessionStateKey } from "./session-state.ts";
import type { SessionWindow } from "./session-window.ts";
import { extended, nextIndex, windowOf } from "./session-window.ts";

export interface AppendOptions {
  /** The session ends that long after its last entry. */
  readonly ttlMs?: number;
  /** Called once the entry is on its way. Only a store that keeps writes in order never has what it writes without it. */
  alongside?(): Promise<unknown>;
}

/**
 * The sessions' histories, with the windows of recent sessions in memory. Entries never change, so what is in memory
 * can only be too short: it is extended from the store whenever it is used, unless nobody else writes there.
 */
export class SessionHistory {
  readonly #store: Store;
  readonly #windows: KeptWindows;

  constructor(store: Store) {
    this.#store = store;
    this.#windows = keptWindowsOf(store);
  }

  async window(sessionId: string): Promise<SessionWindow> {
    const known = this.#windows.get(sessionId);
    if (known !== undefined && this.#store.exclusive) return known;
    const window = known === undefined ? await this.#load(sessionId) : await this.#extend(known);
    this.#windows.keep(window);
    return window;
  }

  /** The window as this process last saw it, without a read. */
  inMemory(sessionId: string): SessionWindow | undefined {
    return this.#windows.get(sessionId);
  }

  /** The entry of a turn that may have ended already; `from` is the first index that it can have. */
  async endedTurn(sessionId: string, from: number, turnId: string): Promise<TurnEntry | undefined> {
    for (let index = from; ; index++) {
      const stored = await this.#store.get(historyKey(sessionId, index));
      if (stored === undefined) return undefined;
      if (isTurn(stored.value, turnId)) return stored.value;
    }
  }

  /** Writes the entry at the first free index from `from` on. False: another process has written it. */
  async append(
    sessionId: string,
    from: number,
    entry: HistoryEntry,
    { alongside, ...life }: AppendOptions = {},
  ): Promise<boolean> {
    // First, so that no death in between leaves a session whose beginning ends before it does.
    if (life.ttlMs !== undefined) await this.#keep(sessionId, from, life);
    let followed: Promise<unknown> | undefined;
    for (let index = from; ; index++) {
      try {
        const stored = this.#store.put(historyKey(sessionId, index), entry, { ifRevision: 0, ...life });
        followed ??= alongside?.();
        await Promise.all([stored, followed]);
        this.#added(sessionId, index, entry);
        return true;
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
        this.forget(sessionId);
        const taken = await this.#store.get(historyKey(sessionId, index));
        if (taken !== undefined && isSame(taken.value, entry)) return false;
      }
    }
  }

  /** Entries never change: writing one again only gives it its time anew. */
  async #keep(sessionId: string, until: number, life: { readonly ttlMs?: number }): Promise<void> {
    for (let index = 0; index < until; index++) {
      const key = historyKey(sessionId, index);
      const stored = await this.#store.get(key);
      if (stored !== undefined) await this.#store.put(key, stored.value, life);
    }
  }

  /** Notes what was shown in the conversation from elsewhere (O15). Noting it again changes nothing. */
  async noteSaid(sessionId: string, entry: SaidEntry): Promise<void> {
    const window = await this.window(sessionId);
    if (window.entries.some((known) => isSame(known, entry))) return;
    await this.append(sessionId, nextIndex(window), entry);
  }

  /** The state has moved on: what its summary covers leaves the window. */
  compacted(sessionId: string, state: SessionState): void {
    const known = this.#windows.get(sessionId);
    if (known === undefined || state.compactedThrough < known.from) return;
    const kept = known.entries.slice(state.compactedThrough - known.from);
    this.#windows.keep(windowOf(sessionId, state.summary, state.compactedThrough, kept));
  }

  /** What is in memory is no longer true; the store is read again at the next use. */
  forget(sessionId: string): void {
    this.#windows.drop(sessionId);
  }

  async #load(sessionId: string): Promise<SessionWindow> {
    const state = await this.#store.get(sessionStateKey(sessionId));
    const from = state?.value.compactedThrough ?? 0;
    return windowOf(sessionId, state?.value.summary ?? "", from, await readHistory(this.#store, sessionId, from));
  }

  async #extend(known: SessionWindow): Promise<SessionWindow> {
    const newer = await readHistory(this.#store, known.sessionId, nextIndex(known));
    return newer.length === 0 ? known : extended(known, newer);
  }

  #added(sessionId: string, index: number, entry: HistoryEntry): void {
    const known = this.#windows.get(sessionId);
    if (known === undefined || nextIndex(known) !== index) return;
    this.#windows.keep(extended(known, [entry]));
  }
}

const isSame = (a: HistoryEntry, b: HistoryEntry): boolean =>
  a.kind === "turn" ? b.kind === "turn" && a.turnId === b.turnId : b.kind === "said" && a.replyId === b.replyId;

const isTurn = (entry: HistoryEntry, turnId: string): entry is TurnEntry =>
  entry.kind === "turn" && entry.turnId === turnId;

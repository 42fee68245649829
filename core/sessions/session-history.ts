import type { Store } from "../contract/ports/store.ts";
import { createOnce } from "../contract/ports/update.ts";
import {
  extended,
  type HistoryEntry,
  historyKey,
  nextIndex,
  type ReplyEntry,
  type SessionState,
  type SessionWindow,
  sessionStateKey,
  type TurnEntry,
  type WindowCache,
  windowCacheOf,
  windowOf,
} from "./session-window.ts";

interface AppendOptions {
  /** The session expires this long after its last entry. */
  readonly ttlMs?: number;
  /** Starts its write right after the write of the entry. Only a store that keeps writes in order stores the entry first. */
  alongside?(): Promise<unknown>;
}

/**
 * The histories of sessions, with a cache of recent windows. Entries never change, so a cached window can only be too
 * short: each use extends it from the store, unless the store is exclusive to this process.
 */
export class SessionHistory {
  readonly #store: Store;
  readonly #windows: WindowCache;

  constructor(store: Store) {
    this.#store = store;
    this.#windows = windowCacheOf(store);
  }

  async window(sessionId: string): Promise<SessionWindow> {
    const known = this.#windows.get(sessionId);
    if (known !== undefined && this.#store.exclusive) return known;
    const window = known === undefined ? await this.#load(sessionId) : await this.#extend(known);
    this.#windows.set(sessionId, window);
    return window;
  }

  /** The last entries, oldest first, also those that a summary covers. For operators: it reads all of them. */
  async recent(sessionId: string, most: number): Promise<HistoryEntry[]> {
    return readHistory(this.#store, sessionId, Math.max(0, nextIndex(await this.window(sessionId)) - most));
  }

  /** The cached window, without a read. */
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
    { alongside, ...ttl }: AppendOptions = {},
  ): Promise<boolean> {
    // Renewed first: after a crash in between, the earlier entries must not expire before the later ones.
    if (ttl.ttlMs !== undefined) await this.#renewTtl(sessionId, from, ttl);
    let followed: Promise<unknown> | undefined;
    for (let index = from; ; index++) {
      const creating = createOnce(this.#store, historyKey(sessionId, index), entry, ttl);
      followed ??= alongside?.();
      const [created] = await Promise.all([creating, followed]);
      if (created !== undefined) {
        this.#added(sessionId, index, entry);
        return true;
      }
      this.forget(sessionId);
      const taken = await this.#store.get(historyKey(sessionId, index));
      if (taken !== undefined && isSame(taken.value, entry)) return false;
    }
  }

  /** Renews the TTL of the earlier entries by writing them again unchanged. */
  async #renewTtl(sessionId: string, until: number, ttl: { readonly ttlMs?: number }): Promise<void> {
    for (let index = 0; index < until; index++) {
      const key = historyKey(sessionId, index);
      const stored = await this.#store.get(key);
      if (stored !== undefined) await this.#store.put(key, stored.value, ttl);
    }
  }

  /** Adds a proactive message that the conversation has shown (O15). Idempotent. */
  async noteReply(sessionId: string, entry: ReplyEntry): Promise<void> {
    const window = await this.window(sessionId);
    if (window.entries.some((known) => isSame(known, entry))) return;
    await this.append(sessionId, nextIndex(window), entry);
  }

  /** Removes the entries that the new summary covers from the cached window. */
  compacted(sessionId: string, state: SessionState): void {
    const known = this.#windows.get(sessionId);
    if (known === undefined || state.compactedThrough < known.from) return;
    const rest = known.entries.slice(state.compactedThrough - known.from);
    this.#windows.set(
      sessionId,
      windowOf(sessionId, state.summary, state.compactedThrough, rest, state.hasForeignText ?? true),
    );
  }

  /** Drops the cached window; the next use reads the store. */
  forget(sessionId: string): void {
    this.#windows.delete(sessionId);
  }

  async #load(sessionId: string): Promise<SessionWindow> {
    const state = await this.#store.get(sessionStateKey(sessionId));
    const from = state?.value.compactedThrough ?? 0;
    const { summary = "", hasForeignText = true } = state?.value ?? { hasForeignText: false };
    return windowOf(sessionId, summary, from, await readHistory(this.#store, sessionId, from), hasForeignText);
  }

  async #extend(known: SessionWindow): Promise<SessionWindow> {
    const newer = await readHistory(this.#store, known.sessionId, nextIndex(known));
    return newer.length === 0 ? known : extended(known, newer);
  }

  #added(sessionId: string, index: number, entry: HistoryEntry): void {
    const known = this.#windows.get(sessionId);
    if (known === undefined || nextIndex(known) !== index) return;
    this.#windows.set(sessionId, extended(known, [entry]));
  }
}

const isSame = (a: HistoryEntry, b: HistoryEntry): boolean =>
  a.kind === "turn" ? b.kind === "turn" && a.turnId === b.turnId : b.kind === "said" && a.replyId === b.replyId;

const isTurn = (entry: HistoryEntry, turnId: string): entry is TurnEntry =>
  entry.kind === "turn" && entry.turnId === turnId;

/** Concurrent reads, once the first entry was found. */
const BATCH = 16;

/** The entries from an index on, to the end. One read if there are none. */
export const readHistory = async (store: Store, sessionId: string, from: number): Promise<HistoryEntry[]> => {
  const first = await store.get(historyKey(sessionId, from));
  if (first === undefined) return [];
  const entries = [first.value];
  for (;;) {
    const next = from + entries.length;
    const read = await Promise.all(
      Array.from({ length: BATCH }, (_, offset) => store.get(historyKey(sessionId, next + offset))),
    );
    for (const stored of read) {
      if (stored === undefined) return entries;
      entries.push(stored.value);
    }
  }
};

import type { Store } from "../contract/ports/store.ts";
import { readHistory, type SessionHistory } from "./session-history.ts";
import { type HistoryEntry, historyKey, sessionStateKey } from "./session-window.ts";

/**
 * Deletes the history and the summary of a session. `deleteTurn` deletes the other records of each turn first, because
 * the history is the only list of them. From the last entry to the first: after a crash, the rest is still found.
 */
export const deleteSession = async (
  store: Store,
  history: SessionHistory,
  sessionId: string,
  deleteTurn: (turnId: string) => Promise<void>,
): Promise<void> => {
  const entries: readonly HistoryEntry[] = await readHistory(store, sessionId, 0);
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry?.kind === "turn") await deleteTurn(entry.turnId);
    await store.delete(historyKey(sessionId, index));
  }
  await store.delete(sessionStateKey(sessionId));
  history.forget(sessionId);
};

import type { Store } from "../contract/store.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { historyKey } from "./history-entry.ts";

/** Reads in flight at once, once it is clear that there is something to read. */
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

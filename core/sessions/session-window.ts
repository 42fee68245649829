import { z } from "zod";
import { BoundedCache } from "../contract/bounded-cache.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import type { ChatMessage } from "../model/index.ts";
import type { HistoryEntry } from "./history-entry.ts";

/** The recent entries of a session, and a summary of the earlier ones. */
export interface SessionWindow {
  readonly sessionId: string;
  readonly summary: string;
  /** The index of the first entry in here. */
  readonly from: number;
  readonly entries: readonly HistoryEntry[];
  /** The entries in the form that the model reads. */
  readonly shown: readonly ChatMessage[];
  /** The approximate size in the model's context. */
  readonly chars: number;
}

/** The index that the session's next entry will have. */
export const nextIndex = ({ from, entries }: SessionWindow): number => from + entries.length;

export const windowOf = (
  sessionId: string,
  summary: string,
  from: number,
  entries: readonly HistoryEntry[],
): SessionWindow => ({
  sessionId,
  summary,
  from,
  entries,
  shown: showEntries(entries),
  chars: entries.reduce((sum, entry) => sum + charsOf(entry), summary.length),
});

/** Appends newer entries. The cost depends on them only, so long sessions do not get slower. */
export const extended = (window: SessionWindow, newer: readonly HistoryEntry[]): SessionWindow => ({
  ...window,
  entries: [...window.entries, ...newer],
  shown: [...window.shown, ...showEntries(newer)],
  chars: newer.reduce((sum, entry) => sum + charsOf(entry), window.chars),
});

export const charsOf = (entry: HistoryEntry): number => {
  if (entry.kind === "said") return entry.markdown.length;
  const toolRounds = entry.messages.length === 0 ? 0 : JSON.stringify(entry.messages).length;
  return entry.text.length + entry.finalText.length + toolRounds;
};

export interface WindowBounds {
  readonly maxEntries: number;
  readonly maxChars: number;
}

/** Whether the session must be compacted. */
export const exceeds = ({ entries, chars }: SessionWindow, { maxEntries, maxChars }: WindowBounds): boolean =>
  entries.length > maxEntries || chars > maxChars;

/** Each prompt is followed by its tool calls and its answer. */
const showEntries = (entries: readonly HistoryEntry[]): ChatMessage[] => {
  const shown: ChatMessage[] = [];
  for (const entry of entries) showEntry(entry, shown);
  return shown;
};

const showEntry = (entry: HistoryEntry, shown: ChatMessage[]): void => {
  if (entry.kind === "said") {
    const about = entry.origin === null ? "" : ` about "${entry.origin.promptSummary}"`;
    shown.push({ role: "assistant", text: `[shown here later${about}]\n${entry.markdown}`, toolCalls: [] });
    return;
  }
  shown.push({ role: "user", text: entry.text }, ...entry.messages);
  if (entry.finalText !== "") shown.push({ role: "assistant", text: entry.finalText, toolCalls: [] });
};

/** Written by compaction only. The summary covers the entries below `compactedThrough`, which stay stored. */
export const SessionState = z.looseObject({
  compactedThrough: z.number().int().nonnegative(),
  summary: z.string(),
});
export type SessionState = z.infer<typeof SessionState>;

const states = collection("session-state", SessionState);

export const sessionStateKey = (sessionId: string) => keyOf(states, sessionId);

/** Recent windows by session, bounded by their characters. */
export type WindowCache = BoundedCache<string, SessionWindow>;

const MAX_CHARS = 16_000_000;
const newWindowCache = (): WindowCache => new BoundedCache(MAX_CHARS, weightOf);

const byStore = new WeakMap<Store, WindowCache>();

/** All users of an exclusive store share one cache, because every append updates it and no other process writes. */
export const windowCacheOf = (store: Store): WindowCache => {
  if (!store.exclusive) return newWindowCache();
  const known = byStore.get(store);
  if (known) return known;
  const made = newWindowCache();
  byStore.set(store, made);
  return made;
};

/** The constant is the overhead of an empty window. */
const weightOf = ({ chars }: SessionWindow): number => chars + 500;

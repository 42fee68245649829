import type { ChatMessage } from "../model/index.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { showEntries } from "./show-entries.ts";

/** What a session remembers word for word, and a summary of what was before. */
export interface SessionWindow {
  readonly sessionId: string;
  readonly summary: string;
  /** The index of the first entry in here. */
  readonly from: number;
  readonly entries: readonly HistoryEntry[];
  /** The entries as a model reads them. */
  readonly shown: readonly ChatMessage[];
  /** About how much of a model's context it takes. */
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

/** Entries that came after it. Only they are looked at: a long session must not cost more with every turn. */
export const extended = (window: SessionWindow, newer: readonly HistoryEntry[]): SessionWindow => ({
  ...window,
  entries: [...window.entries, ...newer],
  shown: [...window.shown, ...showEntries(newer)],
  chars: newer.reduce((sum, entry) => sum + charsOf(entry), window.chars),
});

export const charsOf = (entry: HistoryEntry): number => {
  if (entry.kind === "said") return entry.markdown.length;
  const onTheWay = entry.messages.length === 0 ? 0 : JSON.stringify(entry.messages).length;
  return entry.text.length + entry.finalText.length + onTheWay;
};

import type { ChatMessage } from "../model/index.ts";
import type { HistoryEntry } from "./history-entry.ts";

/** A history as a model reads it: every person's word followed by what became of it. */
export const showEntries = (entries: readonly HistoryEntry[]): ChatMessage[] => {
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

import type { ChatMessage } from "../model/chat-message.ts";
import type { HistoryEntry } from "./history-entry.ts";

/** A history as a model reads it: every person's word followed by what became of it. */
export const showEntries = (entries: readonly HistoryEntry[]): ChatMessage[] => entries.flatMap(showEntry);

const showEntry = (entry: HistoryEntry): ChatMessage[] => {
  if (entry.kind === "said") {
    const about = entry.origin === null ? "" : ` about "${entry.origin.promptSummary}"`;
    return [{ role: "assistant", text: `[shown here later${about}]\n${entry.markdown}`, toolCalls: [] }];
  }
  const spoken: ChatMessage[] = [{ role: "user", text: entry.text }, ...entry.messages];
  if (entry.finalText !== "") spoken.push({ role: "assistant", text: entry.finalText, toolCalls: [] });
  return spoken;
};

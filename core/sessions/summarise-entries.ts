import { messageOf } from "../contract/app-error.ts";
import type { Logger } from "../contract/logger.ts";
import { raceAbort } from "../lib/index.ts";
import type { AgentModel } from "../model/index.ts";
import type { HistoryEntry } from "./history-entry.ts";

const MAX_SUMMARY_CHARS = 8_000;
const QUOTED_CHARS = 2_000;
const MECHANICAL_QUOTED_CHARS = 160;

const INSTRUCTION =
  "Summarise this part of a conversation for the assistant who continues it. Keep names, facts, decisions, numbers, " +
  "open questions and promises; leave out pleasantries. At most 400 words of plain text.";

export interface SummaryOptions {
  readonly model: AgentModel;
  readonly logger: Logger;
  /** How much the model may be given to read. */
  readonly maxChars: number;
  /** Aborted: no summary is wanted any more. */
  readonly signal: AbortSignal;
  /** Aborted with it, and when the model has had its time. */
  readonly modelSignal: AbortSignal;
}

/** One model step. If it fails, the beginnings of what was said have to do: a summary always comes of it. */
export const summariseEntries = async (
  before: string,
  entries: readonly HistoryEntry[],
  { model, logger, maxChars, signal, modelSignal }: SummaryOptions,
): Promise<string> => {
  const text = newest([before, ...entries.map((entry) => quote(entry, QUOTED_CHARS))], maxChars);
  try {
    const step = model.step(
      { system: INSTRUCTION, messages: [{ role: "user", text }], tools: [], toolChoice: "none" },
      { signal: modelSignal, onText() {} },
    );
    const response = await raceAbort(step, modelSignal);
    if (response.text.trim() !== "") return response.text.slice(0, Math.min(MAX_SUMMARY_CHARS, maxChars));
  } catch (error) {
    signal.throwIfAborted();
    logger.warn({ model: model.label, error: messageOf(error) }, "summary made without the model");
  }
  const lines = [before, ...entries.map((entry) => quote(entry, MECHANICAL_QUOTED_CHARS))];
  return newest(lines, Math.min(MAX_SUMMARY_CHARS, maxChars));
};

const quote = (entry: HistoryEntry, maxChars: number): string =>
  entry.kind === "said"
    ? `Assistant, later: ${entry.markdown.slice(0, maxChars)}`
    : `Person: ${entry.text.slice(0, maxChars)}\nAssistant: ${entry.finalText.slice(0, maxChars)}`;

const newest = (lines: readonly string[], maxChars: number): string => lines.join("\n").trim().slice(-maxChars);

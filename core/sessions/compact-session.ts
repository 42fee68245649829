import { messageOf } from "../contract/app-error.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Store } from "../contract/ports/store.ts";
import { putIfUnchanged } from "../contract/ports/update.ts";
import { raceAbort } from "../lib/index.ts";
import type { AgentModel } from "../model/index.ts";
import type { SessionHistory } from "./session-history.ts";
import {
  charsOf,
  type HistoryEntry,
  hasForeignText,
  liveEntries,
  type SessionWindow,
  sessionStateKey,
  type WindowBounds,
} from "./session-window.ts";

/** Summarises the oldest entries until the rest takes half of the bounds. The entries themselves stay stored. */
export const compactSession = async (
  deps: { store: Store; history: SessionHistory },
  window: SessionWindow,
  bounds: WindowBounds,
  options: SummaryOptions,
): Promise<SessionWindow> => {
  const { store, history } = deps;
  const { sessionId, from, entries } = window;
  const state = await store.get(sessionStateKey(sessionId));
  const count = entriesToSummarise(window, bounds);
  if (count > 0 && (state?.value.compactedThrough ?? 0) === from) {
    const live = new Set(liveEntries(entries, from));
    const covered = entries.slice(0, count).filter((entry) => live.has(entry));
    const summary = await summariseEntries(window.summary, covered, options);
    const isForeign = window.summaryHasForeignText === true || covered.some(hasForeignText);
    const next = { compactedThrough: from + count, summary, hasForeignText: isForeign };
    const revision = await putIfUnchanged(store, sessionStateKey(sessionId), next, state?.revision ?? 0);
    // After a lost race the summary of the other process counts.
    if (revision === undefined) history.forget(sessionId);
    else history.compacted(sessionId, next);
  } else history.forget(sessionId);
  return history.window(sessionId);
};

const entriesToSummarise = ({ entries, chars }: SessionWindow, { maxEntries, maxChars }: WindowBounds): number => {
  let count = 0;
  let left = chars;
  for (const entry of entries) {
    if (entries.length - count <= maxEntries / 2 && left <= maxChars / 2) break;
    left -= charsOf(entry);
    count++;
  }
  return count;
};

const MAX_SUMMARY_CHARS = 8_000;
const QUOTED_CHARS = 2_000;
const MECHANICAL_QUOTED_CHARS = 160;

const INSTRUCTION =
  "Summarise this part of a conversation for the assistant who continues it. Keep names, facts, decisions, numbers, " +
  "open questions and promises; leave out pleasantries. At most 400 words of plain text.";

interface SummaryOptions {
  readonly model: AgentModel;
  readonly logger: Logger;
  /** The maximum input of the model. */
  readonly maxChars: number;
  /** Aborts the compaction. */
  readonly signal: AbortSignal;
  /** Aborts the model request only; also aborted by `signal`. */
  readonly modelSignal: AbortSignal;
}

/** One model step; falls back to the beginnings of the entries, so there is always a summary. */
const summariseEntries = async (
  before: string,
  entries: readonly HistoryEntry[],
  { model, logger, maxChars, signal, modelSignal }: SummaryOptions,
): Promise<string> => {
  const text = newest([before, ...entries.map((entry) => quote(entry, QUOTED_CHARS))], maxChars);
  if (model.isAgent) return excerptsOf(before, entries, maxChars);
  try {
    const step = model.step(
      { system: INSTRUCTION, messages: [{ role: "user", text }], tools: [], toolChoice: "none" },
      { signal: modelSignal, onText() {} },
    );
    const response = await raceAbort(step, modelSignal);
    if (response.text.trim() !== "") return response.text.slice(0, Math.min(MAX_SUMMARY_CHARS, maxChars));
  } catch (error) {
    signal.throwIfAborted();
    logger.warn(
      { model: model.label, error: messageOf(error) },
      "could not summarise session by model, using excerpts",
    );
  }
  return excerptsOf(before, entries, maxChars);
};

const excerptsOf = (before: string, entries: readonly HistoryEntry[], maxChars: number): string => {
  const lines = [before, ...entries.map((entry) => quote(entry, MECHANICAL_QUOTED_CHARS))];
  return newest(lines, Math.min(MAX_SUMMARY_CHARS, maxChars));
};

const quote = (entry: HistoryEntry, maxChars: number): string =>
  entry.kind === "said"
    ? `Assistant, later: ${entry.markdown.slice(0, maxChars)}`
    : `Person: ${entry.text.slice(0, maxChars)}\nAssistant: ${entry.finalText.slice(0, maxChars)}`;

const newest = (lines: readonly string[], maxChars: number): string => lines.join("\n").trim().slice(-maxChars);

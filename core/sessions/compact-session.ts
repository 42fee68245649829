import { RevisionConflict } from "../contract/app-error.ts";
import type { Store } from "../contract/store.ts";
import type { SessionHistory } from "./session-history.ts";
import { sessionStateKey } from "./session-state.ts";
import type { SessionWindow } from "./session-window.ts";
import { charsOf } from "./session-window.ts";
import type { SummaryOptions } from "./summarise-entries.ts";
import { summariseEntries } from "./summarise-entries.ts";

export interface WindowBounds {
  readonly maxEntries: number;
  readonly maxChars: number;
}

export const exceeds = ({ entries, chars }: SessionWindow, { maxEntries, maxChars }: WindowBounds): boolean =>
  entries.length > maxEntries || chars > maxChars;

/** Puts the oldest entries into the summary until the rest keeps half of the bounds; the entries themselves stay. */
export const compactSession = async (
  parts: { store: Store; history: SessionHistory },
  window: SessionWindow,
  bounds: WindowBounds,
  options: SummaryOptions,
): Promise<SessionWindow> => {
  const { store, history } = parts;
  const { sessionId, from, entries } = window;
  const state = await store.get(sessionStateKey(sessionId));
  const count = tooOld(window, bounds);
  if (count > 0 && (state?.value.compactedThrough ?? 0) === from) {
    const summary = await summariseEntries(window.summary, entries.slice(0, count), options);
    const next = { compactedThrough: from + count, summary };
    try {
      await store.put(sessionStateKey(sessionId), next, { ifRevision: state?.revision ?? 0 });
      history.compacted(sessionId, next);
    } catch (error) {
      // Another process has just done the same: its summary is as good.
      if (!(error instanceof RevisionConflict)) throw error;
      history.forget(sessionId);
    }
  } else history.forget(sessionId);
  return history.window(sessionId);
};

const tooOld = ({ entries, chars }: SessionWindow, { maxEntries, maxChars }: WindowBounds): number => {
  let count = 0;
  let left = chars;
  for (const entry of entries) {
    if (entries.length - count <= maxEntries / 2 && left <= maxChars / 2) break;
    left -= charsOf(entry);
    count++;
  }
  return count;
};

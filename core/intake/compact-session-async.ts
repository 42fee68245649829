import { AppError } from "../contract/app-error.ts";
import { ChildAbort } from "../lib/index.ts";
import { compactSession, exceeds, type SessionWindow, type WindowBounds } from "../sessions/index.ts";
import type { Agent } from "../turns/index.ts";
import type { IntakeParts } from "./intake-parts.ts";

/** Half of the model's context, at about four characters a token; the other half is for directives, tools and work. */
const CHARS_PER_CONTEXT_TOKEN = 2;
/** A summary that takes longer is made without the model. */
const SUMMARY_DEADLINE_MS = 60_000;

/** Begins to compact a session that has outgrown its window. Nobody waits for it. */
export const compactSessionAsync = (parts: IntakeParts, agent: Agent, sessionId: string): void => {
  const bounds = { maxEntries: parts.maxWindowEntries, maxChars: agent.contextTokens * CHARS_PER_CONTEXT_TOKEN };
  const window = parts.history.inMemory(sessionId);
  if (window === undefined || !exceeds(window, bounds)) return;
  parts.background.start(`compact ${sessionId}`, (signal) => compact(parts, agent, window, bounds, signal));
};

/** For a window that the model found too long: half of it has to do. */
export const shrinkWindow = (
  parts: IntakeParts,
  agent: Agent,
  window: SessionWindow,
  signal: AbortSignal,
): Promise<SessionWindow> =>
  compact(parts, agent, window, { maxEntries: window.entries.length, maxChars: window.chars }, signal);

const compact = async (
  parts: IntakeParts,
  { model, contextTokens }: Agent,
  window: SessionWindow,
  bounds: WindowBounds,
  signal: AbortSignal,
): Promise<SessionWindow> => {
  const over = new ChildAbort(signal);
  const timer = parts.clock.after(SUMMARY_DEADLINE_MS, () =>
    over.abort(new AppError("unavailable", `no summary within ${SUMMARY_DEADLINE_MS} ms`)),
  );
  try {
    return await compactSession(parts, window, bounds, {
      model,
      logger: parts.logger,
      maxChars: contextTokens,
      signal,
      modelSignal: over.signal,
    });
  } finally {
    timer.cancel();
    over.release();
  }
};

import { AppError } from "../contract/app-error.ts";
import { ChildAbort } from "../lib/index.ts";
import { compactSession, exceeds, type SessionWindow, type WindowBounds } from "../sessions/index.ts";
import type { Agent } from "../turns/index.ts";
import type { TurnRecord } from "../turns/record/index.ts";
import type { IntakeDeps } from "./intake-deps.ts";

/** Half of the model's context, at about four characters a token; the other half is for directives, tools and work. */
const CHARS_PER_CONTEXT_TOKEN = 2;
/** After this timeout the summary is made without the model. */
const SUMMARY_DEADLINE_MS = 60_000;

/** Starts to compact a session that exceeds its window, in the background. */
export const compactSessionAsync = (deps: IntakeDeps, agent: Agent, record: TurnRecord): void => {
  const { sessionId } = record;
  const bounds = { maxEntries: deps.maxWindowEntries, maxChars: agent.contextTokens * CHARS_PER_CONTEXT_TOKEN };
  const window = deps.history.inMemory(sessionId);
  if (window === undefined || !exceeds(window, bounds)) return;
  deps.background.start(`compact ${sessionId}`, (signal) =>
    compact(deps, chargedTo(agent, asBackground(record)), window, bounds, signal),
  );
};

/** Halves a window that the model rejected as too long. */
export const shrinkWindow = (
  deps: IntakeDeps,
  agent: Agent,
  record: TurnRecord,
  window: SessionWindow,
  signal: AbortSignal,
): Promise<SessionWindow> =>
  compact(
    deps,
    chargedTo(agent, record),
    window,
    { maxEntries: window.entries.length, maxChars: window.chars },
    signal,
  );

/**
 * Summaries are charged to the work that needs them (R2). Without a budget for it, or with an agent
 * elsewhere, a summary is made without the model.
 */
const chargedTo = (agent: Agent, record: TurnRecord): Agent =>
  agent.budgets && !agent.model.isAgent ? { ...agent, model: agent.budgets.metered(agent.model, record) } : agent;

const asBackground = (record: TurnRecord): TurnRecord => ({
  ...record,
  standing: { ...record.standing, background: true },
});

const compact = async (
  deps: IntakeDeps,
  { model, contextTokens }: Agent,
  window: SessionWindow,
  bounds: WindowBounds,
  signal: AbortSignal,
): Promise<SessionWindow> => {
  const over = new ChildAbort(signal);
  const timer = deps.clock.after(SUMMARY_DEADLINE_MS, () =>
    over.abort(new AppError("unavailable", `no summary within ${SUMMARY_DEADLINE_MS} ms`)),
  );
  try {
    return await compactSession(deps, window, bounds, {
      model,
      logger: deps.logger,
      maxChars: contextTokens,
      signal,
      modelSignal: over.signal,
    });
  } finally {
    timer.cancel();
    over.release();
  }
};

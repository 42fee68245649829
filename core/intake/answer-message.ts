import type { TurnMessage } from "../contract/user-message.ts";
import type { TurnEntry } from "../sessions/index.ts";
import type { Agent } from "../turns/index.ts";
import { compactSessionAsync } from "./compact-session-async.ts";
import type { IntakeDeps } from "./intake-deps.ts";
import type { OpenedTurn } from "./open-turn.ts";
import { decideSummary } from "./prompt-summary.ts";
import { isForPeople, publishFinal } from "./publish-final.ts";
import type { TurnRun } from "./run-and-record-turn.ts";
import { runAndRecordTurn } from "./run-and-record-turn.ts";
import { requesterOf, turnPrompt } from "./turn-prompt.ts";

/**
 * Runs an open turn up to its published result, and skips steps that an earlier run completed. Undefined: the turn had
 * nothing left to do.
 */
export const answerMessage = async (
  deps: IntakeDeps,
  agent: Agent,
  message: TurnMessage,
  opened: OpenedTurn,
  run: TurnRun,
): Promise<TurnEntry | undefined> => {
  const { features, history } = deps;
  const { record, seenBefore } = opened;
  const { turnId, sessionId, index } = record;
  const requester = requesterOf(features, message);
  // Read after the window: an entry that is missing up to the window's end can only be written behind it.
  const ended = seenBefore ? await history.endedTurn(sessionId, index, turnId) : undefined;
  const prompt = ended === undefined ? await turnPrompt(features, agent, message) : undefined;
  const state = ended === undefined ? await requester?.stateOf?.(seenBefore) : undefined;
  if (prompt !== undefined && state === "ended") await requester?.backfill?.(prompt.text, opened);
  if (prompt?.obsolete || state === "ended") return undefined;
  // A turn that must reply needs its anchor's summary too: the model writes both at the same time.
  const summary = prompt?.mustReply ? decideSummary(deps, agent, opened) : undefined;
  summary?.catch(() => undefined);
  let settled: Promise<unknown> | undefined;
  const settle = (entry: TurnEntry) => (settled ??= Promise.resolve(requester?.settle(agent, entry, state)));
  const alongside = requester?.settlesAlongside ? settle : undefined;
  const entry = ended ?? (prompt && (await runAndRecordTurn(deps, agent, message, prompt, opened, run, alongside)));
  if (entry === undefined) return undefined;
  await deps.checkpoint("reply.before");
  if (requester) await settle(entry);
  else if (isForPeople(record, entry)) {
    await (summary ?? decideSummary(deps, agent, opened));
    await publishFinal(deps, agent, record, entry, ended !== undefined);
  }
  await deps.checkpoint("reply.published");
  for (const hook of features.hooks) await hook.onEnd?.({ agent, message, record, entry, isDeadLetter: false });
  compactSessionAsync(deps, agent, sessionId);
  return entry;
};

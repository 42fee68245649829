import type { Store } from "../contract/ports/store.ts";
import { listNames } from "../lib/index.ts";
import type { ToolCall } from "../model/index.ts";
import { type Agent, type TurnEnd, textsOf } from "../turns/index.ts";
import type { TurnRecord } from "../turns/record/index.ts";
import type { FinishedTurn, TurnHook, TurnSources } from "../turns/source/index.ts";
import { resultsPrompt, wakeUpPrompt } from "./batch/continuation-prompt.ts";
import { sealTurn } from "./batch/sealed-batch.ts";
import { statusUpdates } from "./batch/status-updates.ts";
import type { SubtaskDeps } from "./deps.ts";
import { countedMembers, openCalls } from "./owner/batch.ts";
import { readOwner } from "./owner/owner-record.ts";

/** Turns about results and questions of subtasks. */
export const subtaskTurns = ({ store }: SubtaskDeps): Pick<TurnSources, "synthesis" | "amendment" | "wake-up"> => ({
  synthesis: (_, message) => resultsPrompt(store, message),
  amendment: (_, message) => resultsPrompt(store, message),
  "wake-up": (_, message) => wakeUpPrompt(store, message),
});

/** Any turn may delegate. When it ends, its batch is sealed and its reply names the running work. */
export const delegationHook = (deps: SubtaskDeps): TurnHook => ({
  updates: statusUpdates(deps.store),
  finish: (agent, record, end) => announce(deps.store, agent, record, end),
  async onEnd({ agent, record, entry, isDeadLetter }) {
    if (record && (isDeadLetter || entry?.delegated)) await sealTurn(deps, agent, record, entry?.outcome);
  },
});

/** Marks the end of a turn that delegated, and adds a text about the running work if the turn has no text (B7). */
const announce = async (
  store: Store,
  { tenant, name, tools }: Agent,
  turn: TurnRecord,
  end: TurnEnd,
): Promise<FinishedTurn> => {
  const isCutOff = wasCutOff(end);
  const mayHaveDelegated = end.messages.some(
    (message) => message.role === "assistant" && message.toolCalls.some((call) => mayDelegate(tools, call)),
  );
  if (!mayHaveDelegated && !isCutOff) return end;
  const record = await readOwner(store, { tenant, agent: name, ownerId: turn.standing.owner.ownerId });
  const batch = record.batches[turn.turnId];
  // An aborted tool call may still create the batch.
  if (batch === undefined) return isCutOff ? { ...end, delegated: true } : end;
  const names = batch.members
    .filter(({ reports, awaitedBy }) => reports !== "blocking" && awaitedBy === undefined)
    .map((member) => member.name)
    .concat(openCalls(batch).map((call) => call.name));
  if (names.length === 0) return { ...end, delegated: true };
  const isAwaited = countedMembers(batch).length + openCalls(batch).length > 0 ? { isAwaited: true as const } : {};
  const hasNoText = end.outcome === "nothing" || end.failure === "no-answer";
  if (!hasNoText) return { ...end, delegated: true, ...isAwaited };
  const { activity } = textsOf(turn);
  const finalText = activity.working(listNames(names, activity.and));
  return { outcome: "answered", finalText, messages: end.messages, delegated: true, ...isAwaited };
};

/** A tool that the agent no longer has may have delegated before a restart. A call may also wait for an approval. */
const mayDelegate = (tools: Agent["tools"], call: ToolCall): boolean => {
  const tool = tools.find(({ name }) => name === call.name);
  return tool === undefined || tool.delegates !== undefined || tool.approval !== undefined;
};

/** A turn that was cut off may have made tool calls that are not among its messages. */
const wasCutOff = ({ outcome, failure }: TurnEnd): boolean => outcome === "cancelled" || failure === "turn-timeout";

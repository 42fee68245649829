import type { Store } from "../contract/store.ts";
import type { Agent, FinishedTurn, TurnEnd, TurnRecord } from "../turns/index.ts";
import { countedMembers, openCalls } from "./batch.ts";
import { listNames } from "./list-names.ts";
import { readOwner } from "./owner-record.ts";

const SPAWNING = ["spawn_subtask", "spawn_parallel_subtasks", "message_subtask", "send_message_to_agent"];

/** The end of a turn, with a word on what is being worked on if it said nothing itself (B7). */
export const announce = async (
  store: Store,
  { tenant, name }: Agent,
  { turnId, standing }: TurnRecord,
  end: TurnEnd,
): Promise<FinishedTurn> => {
  const isCutOff = wasCutOff(end);
  const mayHave = end.messages.some(
    (message) => message.role === "assistant" && message.toolCalls.some((call) => SPAWNING.includes(call.name)),
  );
  if (!mayHave && !isCutOff) return end;
  const record = await readOwner(store, { tenant, agent: name, ownerId: standing.owner.ownerId });
  const batch = record.batches[turnId];
  // A call that was cut off may be opening one at this moment.
  if (batch === undefined) return isCutOff ? { ...end, delegated: true } : end;
  const names = batch.members
    .filter(({ reports, awaitedBy }) => reports !== "blocking" && awaitedBy === undefined)
    .map((member) => member.name)
    .concat(openCalls(batch).map((call) => call.name));
  if (names.length === 0) return { ...end, delegated: true };
  const isAwaited = countedMembers(batch).length + openCalls(batch).length > 0 ? { isAwaited: true as const } : {};
  const saidNothing = end.outcome === "nothing" || end.trouble === "no-answer";
  if (!saidNothing) return { ...end, delegated: true, ...isAwaited };
  const finalText = `Working on: ${listNames(names)}`;
  return { outcome: "answered", finalText, messages: end.messages, delegated: true, ...isAwaited };
};

/** It may have ended in the middle of a step, whose calls are not among its messages. */
const wasCutOff = ({ outcome, trouble }: TurnEnd): boolean => outcome === "cancelled" || trouble === "turn-timeout";

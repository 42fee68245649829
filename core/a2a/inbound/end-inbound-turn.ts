import { isoTime } from "../../contract/clock.ts";
import type { UserMessage } from "../../contract/user-message.ts";
import { type CoreParts, type TurnResult, turnIdOf } from "../../turns/index.ts";
import { changeTask, inState, withSaid } from "./change-task.ts";
import { callIn, newTask } from "./inbound-call.ts";
import type { InboundTask } from "./inbound-task.ts";
import { hasEnded } from "./inbound-task.ts";
import type { InboundTurns } from "./inbound-turns.ts";
import { hasOpenWork } from "./open-work.ts";
import { taskOfMessage } from "./task-of-turn.ts";
import { tellOfAnswer } from "./tell-people.ts";
import { tellWebhooks } from "./tell-webhooks.ts";

/**
 * The end of a turn is the end of its task, or a word on how it goes (A8). Doing it again changes nothing, but is said
 * again to the task's webhooks, which may not have been told. `isNew`: nobody had noted the task when the turn began.
 * Undefined: the task is gone.
 */
export const endInboundTurn = async (
  parts: CoreParts & { readonly inbound: InboundTurns },
  message: UserMessage,
  result: TurnResult,
  isNew = false,
): Promise<InboundTask | undefined> => {
  const address = taskOfMessage(message);
  if (address === undefined) return undefined;
  const call = callIn(message);
  const end = async (stored: InboundTask | undefined): Promise<InboundTask | undefined> => {
    const known = stored ?? (call && newTask(call));
    if (known === undefined || hasEnded(known) || known.ended.includes(message.id)) return known;
    const heard = call ? withSaid(known, call.said) : known;
    const delegated = known.delegated || result.delegated;
    const counted = { ...heard, ended: [...known.ended, message.id], ...(delegated && { delegated }) };
    const isOpen = delegated === true && (await hasOpenWork(parts.store, counted));
    return withResult(counted, { ...result, turnId: turnIdOf(message), isOpen, at: isoTime(parts.clock.now()) });
  };
  const task = await changeTask(parts, address, end, { isNew });
  await parts.checkpoint("a2a.settled");
  if (task === undefined) {
    parts.logger.warn({ task: address.id, traceId: message.traceId }, "the turn's task is gone");
    return undefined;
  }
  await tellWebhooks(parts, task);
  await tellOfAnswer(parts, message, task, parts.inbound.rulesOf(message).toldSkills ?? []);
  return task;
};

interface Settling extends TurnResult {
  readonly turnId: string;
  readonly isOpen: boolean;
  readonly at: string;
}

const withResult = (task: InboundTask, settling: Settling): InboundTask => {
  const { turnId, outcome, finalText, isOpen, at: statusAt } = settling;
  const words = { id: `${turnId}/said`, from: "agent" as const, text: finalText };
  if (task.question?.turnId === turnId) {
    const note = task.question.text;
    return inState(withSaid(task, { ...words, text: note }), { state: "input-required", statusAt, note });
  }
  if (outcome === "cancelled") return inState(task, { state: "canceled", statusAt });
  if (isOpen) return inState(task, { state: "working", statusAt, ...(finalText !== "" && { note: finalText }) });
  if (outcome === "failed") return inState(task, { state: "failed", statusAt, note: finalText });
  const ended = inState(task, { state: "completed", statusAt });
  return finalText === "" ? ended : { ...ended, answer: finalText };
};

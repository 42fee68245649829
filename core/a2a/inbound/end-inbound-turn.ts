import type { SyntheticMessage } from "../../contract/messages/user-message.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Store } from "../../contract/ports/store.ts";
import { isOutstanding, readOwner } from "../../subtasks/index.ts";
import type { CoreDeps } from "../../turns/index.ts";
import { turnIdOf } from "../../turns/index.ts";
import type { TurnResult } from "../../turns/source/index.ts";
import { changeTask, inState, notifyWebhooks, withSaid } from "./change-task.ts";
import { callIn, inboundSessionOf, newTask, taskOfMessage } from "./inbound-call.ts";
import { hasEnded, type InboundTask } from "./inbound-task.ts";
import type { InboundTurns } from "./inbound-turns.ts";
import { addAnswerNotice } from "./notices.ts";

/**
 * Applies the end of a turn to its task: a final state, or a progress status while work is open (A8). A repeat changes
 * nothing but notifies the webhooks again, because a crash may have prevented that. `isNew`: the task was not stored when
 * the turn began. Undefined: the task has expired.
 */
export const endInboundTurn = async (
  deps: CoreDeps & { readonly inbound: InboundTurns },
  message: SyntheticMessage,
  result: TurnResult,
  isNew = false,
): Promise<InboundTask | undefined> => {
  const address = taskOfMessage(message);
  if (address === undefined) return undefined;
  const call = callIn(message);
  const end = async (stored: InboundTask | undefined): Promise<InboundTask | undefined> => {
    const known = stored ?? (call && newTask(call));
    if (known === undefined || hasEnded(known) || known.ended.includes(message.id)) return known;
    const updated = call ? withSaid(known, call.said) : known;
    const delegated = known.delegated || result.delegated;
    const counted = { ...updated, ended: [...known.ended, message.id], ...(delegated && { delegated }) };
    const isOpen = delegated === true && (await hasOpenWork(deps.store, counted));
    return withResult(counted, { ...result, turnId: turnIdOf(message), isOpen, at: isoTime(deps.clock.now()) });
  };
  const task = await changeTask(deps, address, end, { isNew });
  await deps.checkpoint("a2a.settled");
  if (task === undefined) {
    deps.logger.warn({ task: address.id, traceId: message.traceId }, "inbound task has expired, result dropped");
    return undefined;
  }
  await notifyWebhooks(deps, task);
  await addAnswerNotice(deps, message, task, deps.inbound.rulesOf(message).toldSkills ?? []);
  return task;
};

interface Settling extends TurnResult {
  readonly turnId: string;
  readonly isOpen: boolean;
  readonly at: string;
}

const withResult = (task: InboundTask, settling: Settling): InboundTask => {
  const { turnId, outcome, finalText, isOpen, at: statusAt } = settling;
  const reply = { id: `${turnId}/said`, from: "agent" as const, text: finalText };
  if (task.question?.turnId === turnId) {
    const note = task.question.text;
    return inState(withSaid(task, { ...reply, text: note }), { state: "input-required", statusAt, note });
  }
  if (outcome === "cancelled") return inState(task, { state: "canceled", statusAt });
  if (isOpen) return inState(task, { state: "working", statusAt, ...(finalText !== "" && { note: finalText }) });
  if (outcome === "failed") return inState(task, { state: "failed", statusAt, note: finalText });
  const ended = inState(task, { state: "completed", statusAt });
  return finalText === "" ? ended : { ...ended, answer: finalText };
};

/** Whether subtasks or calls of the task are still open. */
export const hasOpenWork = async (store: Store, task: InboundTask): Promise<boolean> => {
  const { tenant, agent, id, ended } = task;
  const { batches } = await readOwner(store, { tenant, agent, ownerId: inboundSessionOf(task) });
  return Object.values(batches).some((batch) => batch.origin.taskId === id && isOutstanding(batch, ended));
};

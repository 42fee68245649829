import { AppError } from "../../contract/app-error.ts";
import type { InboundTaskAddress } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { SyntheticMessage } from "../../contract/messages/user-message.ts";
import { ack, type Outcome } from "../../contract/ports/bus.ts";
import { type Clock, isoTime } from "../../contract/ports/clock.ts";
import type { Store } from "../../contract/ports/store.ts";
import { cancelSubtask, isOutstanding, readOwner, type SubtaskDeps } from "../../subtasks/index.ts";
import type { CoreDeps } from "../../turns/index.ts";
import { turnIdOf } from "../../turns/record/index.ts";
import type { TurnResult } from "../../turns/source/index.ts";
import { callIn, inboundSessionOf, newTask, taskOfMessage } from "./inbound-call.ts";
import {
  changeTask,
  hasEnded,
  type InboundTask,
  notifyWebhooks,
  type TaskDeps,
  withMessage,
  withStatus,
} from "./inbound-task.ts";
import type { InboundRules, InboundTurns } from "./inbound-turns.ts";
import { addNotice, noticePlaceFor } from "./notices.ts";

/**
 * Applies the end of a turn to its task: a final state, or a progress status while work is open (A8). A repeat does
 * not change the task and notifies the webhooks again, because a crash may have prevented that. `isNew`: the task was not
 * stored when the turn began. Undefined: the task has expired.
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
    const updated = call ? withMessage(known, call.said) : known;
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
  await addAnswerNotice(deps, message, task, deps.inbound.rulesOf(message));
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
    return withStatus(withMessage(task, { ...reply, text: note }), { state: "input-required", statusAt, note });
  }
  if (outcome === "cancelled") return withStatus(task, { state: "canceled", statusAt });
  if (isOpen) return withStatus(task, { state: "working", statusAt, ...(finalText !== "" && { note: finalText }) });
  if (outcome === "failed") return withStatus(task, { state: "failed", statusAt, note: finalText });
  const ended = withStatus(task, { state: "completed", statusAt });
  return finalText === "" ? ended : { ...ended, answer: finalText };
};

/** Whether subtasks or calls of the task are still open. */
export const hasOpenWork = async (store: Store, task: InboundTask): Promise<boolean> => {
  const { tenant, agent, id, ended } = task;
  const { batches } = await readOwner(store, { tenant, agent, ownerId: inboundSessionOf(task) });
  return Object.values(batches).some((batch) => batch.origin.taskId === id && isOutstanding(batch, ended));
};

/** Adds a notice about an answer if people follow its skill (A10). Idempotent. */
export const addAnswerNotice = async (
  deps: Pick<CoreDeps, "bus" | "store" | "logger">,
  { synthetic }: SyntheticMessage,
  task: InboundTask,
  { noticeSkills, notices }: InboundRules,
): Promise<void> => {
  const { id, skill, state, answer, createdAt } = task;
  if (state !== "completed" || !answer || skill === undefined || !noticeSkills.includes(skill)) return;
  const title = synthetic.origin.promptSummary;
  const place = notices && noticePlaceFor(notices, task);
  if (place === undefined) return;
  try {
    const { tenant, agent } = task;
    await addNotice(deps, { tenant, agent, ...place }, { id, taskId: id, title, text: answer, at: createdAt });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "too-large") throw error;
    // The caller has its answer, so a full notice list must not fail the task.
    deps.logger.warn({ task: id, reason: error.message }, "could not add notice about an answer");
  }
};

/** Cancels a task for its caller. The request is published first, so that core completes it if this process crashes. */
export const cancelTask = async (
  deps: TaskDeps & { readonly clock: Clock },
  address: InboundTaskAddress,
): Promise<InboundTask | undefined> => {
  const { tenant, agent, caller, id } = address;
  const key = `${caller}/${id}`;
  const subject = subjectsOf(tenant).a2aTaskCancelled(agent);
  await deps.bus.publish(subject, { tenant, agent, caller, id }, { id: `${key}/cancel`, key });
  return markCancelled(deps, address);
};

const markCancelled = async (deps: TaskDeps & { readonly clock: Clock }, address: InboundTaskAddress) => {
  const task = await changeTask(deps, address, (known) => {
    if (known === undefined || hasEnded(known)) return known;
    return withStatus(known, {
      state: "canceled",
      statusAt: isoTime(deps.clock.now()),
      note: "Cancelled by the caller.",
    });
  });
  if (task?.state === "canceled") await notifyWebhooks(deps, task);
  return task;
};

/** Cancels the task's subtasks. Its running turn stops by itself when the change is signalled. */
export const handleTaskCancelled = async (deps: SubtaskDeps, address: InboundTaskAddress): Promise<Outcome> => {
  const { tenant, agent } = address;
  const task = await markCancelled(deps, address);
  if (task?.state !== "canceled") return ack;
  const ownerId = inboundSessionOf(task);
  const { batches } = await readOwner(deps.store, { tenant, agent, ownerId });
  const own = Object.values(batches).filter(({ origin }) => origin.taskId === task.id);
  const open = own.flatMap(({ members }) => members.filter(({ ended }) => !ended));
  for (const { id } of open) await cancelSubtask(deps, { tenant, agent, id }, "its caller cancelled the task", true);
  const calls = own.flatMap(({ calls = [] }) => calls.filter(({ ended }) => !ended));
  await deps.calls.cancel(
    deps,
    { tenant, agent },
    calls.map(({ id }) => id),
    true,
  );
  return ack;
};

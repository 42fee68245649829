import { z } from "zod";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import { type DelegationContext, WorkContext, workContextOf } from "../../contract/messages/work-context.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import { createOrRead, DELETE, update } from "../../contract/ports/update.ts";
import { sessionTtl } from "../../turns/record/index.ts";
import type { TaskUpdate } from "../client/task-update.ts";
import { TaskEnd } from "./task-end.ts";

/** The question of a task that waits for the person's next message. */
const Question = z.looseObject({ taskId: z.string(), key: z.string() });

/** The task of one turn at an agent elsewhere. Stored before the message is sent, so that a restart resumes it (T6). */
const TurnTask = z.looseObject({
  messageId: z.string(),
  contextId: z.string(),
  /** The message answers this question. */
  answers: Question.optional(),
  /** Known once the agent has accepted the message. */
  taskId: z.string().optional(),
  startedAt: z.iso.datetime(),
  /** The work of the turn, once it no longer waits: the answer is delivered there. */
  background: WorkContext.optional(),
  /** The end of a task that went on in the background, as people see it; a text of Mooring is English here. */
  answer: z.string().optional(),
  /** The answer is a text of Mooring, which people read in their own language. */
  end: TaskEnd.optional().catch(undefined),
  /** The task must be cancelled: its turn was stopped, timed out or failed. */
  cancelledAt: z.iso.datetime().optional(),
});
export type TurnTask = z.infer<typeof TurnTask>;

/** Exists if the agent chose its own context, or if it waits for an answer. */
const AgentSession = z.looseObject({ contextId: z.string().optional(), question: Question.optional() });
type AgentSession = z.infer<typeof AgentSession>;

const tasks = collection("agent-tasks", TurnTask, { ttlMs: RETENTION_MS });
const sessions = collection("agent-sessions", AgentSession);

export interface TurnAddress extends AgentRef {
  readonly turnId: string;
  readonly sessionId: string;
  readonly standing: DelegationContext;
}

/** Locates the record of a task. */
export interface TaskRef extends AgentRef {
  readonly turnId: string;
}

type Change = Parameters<typeof update<AgentSession>>[2];

const changeSession = (store: Store, turn: TurnAddress, change: Change) =>
  update(store, sessionKey(turn), change, sessionTtl(turn));

/** A record without content is deleted. */
const orDelete = (session: AgentSession) => (Object.keys(session).length === 0 ? DELETE : session);

const taskKey = ({ tenant, agent, turnId }: TaskRef) => keyOf(tasks, tenant, agent, turnId);
const sessionKey = ({ tenant, agent, sessionId }: TurnAddress) => keyOf(sessions, tenant, agent, sessionId);

export interface OpenedTask {
  readonly task: TurnTask;
  /** The message may have been sent before: by a process that crashed, or in a request without a response. */
  readonly mayBeSent: boolean;
}

export const readTurnTask = async (store: Store, turn: TaskRef): Promise<TurnTask | undefined> =>
  (await store.get(taskKey(turn)))?.value;

/** Decides once per turn which message is sent, in which context, and whether it answers a question. */
export const openTurnTask = async (
  store: Store,
  turn: TurnAddress,
  planned: Pick<TurnTask, "messageId" | "contextId" | "startedAt">,
): Promise<OpenedTask> => {
  const known = await readTurnTask(store, turn);
  if (known !== undefined) return { task: known, mayBeSent: true };
  const session = (await store.get(sessionKey(turn)))?.value;
  const { contextId = planned.contextId, question } = session ?? {};
  const task = { ...planned, contextId, ...(question && { answers: question }) };
  const { value, isNew } = await createOrRead(store, taskKey(turn), task);
  return { task: value, mayBeSent: !isNew };
};

/** Journals the task's id as soon as the agent has returned it. */
export const saveTaskId = async (store: Store, turn: TurnAddress, taskId: string): Promise<void> => {
  await update(store, taskKey(turn), (task) =>
    task === undefined || task.taskId === taskId ? task : { ...task, taskId },
  );
};

/** The turn ends without an answer, and the task goes on. Idempotent. */
export const continueInBackground = async (store: Store, turn: TurnAddress & WorkContext): Promise<void> => {
  await update(store, taskKey(turn), (task) =>
    task === undefined || task.background !== undefined ? task : { ...task, background: workContextOf(turn) },
  );
};

/** How a background task ended. */
export type TaskAnswer = Pick<TurnTask, "end"> & { readonly answer: string };

/** Stores the end of a background task; the first one counts. Resolves to the one that is stored. */
export const saveAnswer = async (store: Store, turn: TaskRef, given: TaskAnswer): Promise<TaskAnswer> => {
  const { after } = await update(store, taskKey(turn), (task) =>
    task === undefined || task.answer !== undefined ? task : { ...task, ...given },
  );
  return after?.answer === undefined ? given : { answer: after.answer, end: after.end };
};

export const markCancelled = async (store: Store, turn: TaskRef, at: string): Promise<void> => {
  await update(store, taskKey(turn), (task) =>
    task === undefined || task.cancelledAt !== undefined ? task : { ...task, cancelledAt: at },
  );
};

/** The question that the session's next message answers, and the agent's own context. Idempotent. */
export const saveOutcome = async (
  store: Store,
  turn: TurnAddress,
  { contextId: sent, answers }: TurnTask,
  { state, taskId, key, contextId = sent }: Pick<TaskUpdate, "state" | "taskId" | "key" | "contextId">,
): Promise<void> => {
  const question = state === "input-required" && taskId !== undefined ? { taskId, key } : undefined;
  if (question === undefined && answers === undefined && contextId === sent) return;
  await changeSession(store, turn, (session) => {
    const { question: _, ...rest } = session ?? {};
    return orDelete({ ...rest, ...(contextId !== sent && { contextId }), ...(question && { question }) });
  });
};

/** A cancelled task waits for no answer. */
export const dropQuestion = async (store: Store, turn: TurnAddress, taskId: string): Promise<void> => {
  await changeSession(store, turn, (session) => {
    if (session?.question?.taskId !== taskId) return session;
    const { question: _, ...rest } = session;
    return orDelete(rest);
  });
};

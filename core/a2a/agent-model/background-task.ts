import { messageOf } from "../../contract/app-error.ts";
import type { AgentTaskAddress } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { agentAnswerIdOf } from "../../contract/messages/synthetic.ts";
import { type SyntheticMessage, syntheticMessage } from "../../contract/messages/user-message.ts";
import type { WorkContext } from "../../contract/messages/work-context.ts";
import { ack, type Bus, type Consumer, type Outcome } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { english } from "../../contract/texts/texts.ts";
import { cutToBytes, deadLetterFallback } from "../../lib/index.ts";
import { enqueueTurn } from "../../subtasks/index.ts";
import { type Agent, type CoreDeps, textsOf } from "../../turns/index.ts";
import type { TurnSources } from "../../turns/source/index.ts";
import { failureDetail, isUnreachable } from "../client/peer-fetch.ts";
import type { TaskUpdate } from "../client/task-update.ts";
import type { AgentConnections } from "./agent-connections.ts";
import { failedEnd, isProtocolError } from "./agent-failures.ts";
import { answerFields, endText, type TaskEnd, taskEnd } from "./task-end.ts";
import {
  markCancelled,
  readTurnTask,
  saveAnswer,
  saveOutcome,
  type TaskAnswer,
  type TaskRef,
  type TurnTask,
} from "./turn-task.ts";

interface TaskDeps extends CoreDeps {
  readonly agentConnections: Pick<AgentConnections, "of">;
}

type Connection = NonNullable<ReturnType<AgentConnections["of"]>>;

const REQUEST_TIMEOUT_MS = 30_000;
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;
/** A task that takes ten minutes longer is noticed a minute later at most. */
const PAUSE_SHARE = 0.1;
/** An agent that cannot be reached for this long after a turn was stopped keeps its task. */
const CANCEL_FOR_MS = 3_600_000;
const MAX_CONCURRENT_TASKS = 64;

/** The bus keeps the message and retries it, so the task is followed by any process. Idempotent. */
export const followInBackground = async (bus: Bus, { tenant, agent, turnId }: TaskRef): Promise<void> => {
  const address = { tenant, agent, id: turnId };
  await bus.publish(subjectsOf(tenant).agentTask(agent), address, { id: `${turnId}/agent-task`, key: turnId });
};

/** Consumes the tasks of an agent elsewhere that go on, or must be cancelled, after their turn. */
export const startAgentTasks = (deps: TaskDeps, { tenant, name }: Agent): Promise<Consumer> =>
  deps.bus.consume(
    subjectsOf(tenant).agentTask(name),
    {
      durable: "agent-tasks",
      concurrency: MAX_CONCURRENT_TASKS,
      onDeadLetter: (address, letter) =>
        deadLetterFallback(deps.logger, letter, async () => {
          if (address !== undefined) await handleDeadTask(deps, address);
        }),
    },
    (address, { publishedAt }) => handleAgentTask(deps, address, publishedAt),
  );

const handleAgentTask = async (deps: TaskDeps, address: AgentTaskAddress, since: number): Promise<Outcome> => {
  const { tenant, agent, id: turnId } = address;
  const turn = { tenant, agent, turnId };
  const task = await readTurnTask(deps.store, turn);
  const connection = deps.agentConnections.of(agent);
  if (task === undefined) return ack;
  if (task.cancelledAt !== undefined) return connection ? cancelTask(deps, connection, task, since) : ack;
  if (task.background === undefined) return ack;
  const answer = knownAnswer(task) ?? (await look(deps, turn, task, task.background, connection));
  if (answer === undefined) return { retryInMs: pauseFor(deps.clock.now() - since) };
  await deps.checkpoint("agent.known");
  const stored = await saveAnswer(deps.store, turn, answer);
  await deps.checkpoint("agent.stored");
  await enqueueTurn(deps, turn, answerMessage(turn, task.background, deps.clock.now()));
  await deps.checkpoint("agent.reported");
  if (!isTimeout(stored) || connection === undefined) return ack;
  await markCancelled(deps.store, turn, isoTime(deps.clock.now()));
  return cancelTask(deps, connection, task, since);
};

const knownAnswer = ({ answer, end }: TurnTask): TaskAnswer | undefined =>
  answer === undefined ? undefined : { answer, end };

/** Records of older processes have only the text. */
const isTimeout = ({ answer, end }: TaskAnswer): boolean =>
  end === undefined ? answer === english.agents.failures.timedOut : end.key === "timedOut";

/** A task that could not be followed still gets an answer for the person. */
const handleDeadTask = async (deps: TaskDeps, { tenant, agent, id: turnId }: AgentTaskAddress): Promise<void> => {
  const turn = { tenant, agent, turnId };
  const task = await readTurnTask(deps.store, turn);
  if (task?.background === undefined) return;
  await saveAnswer(deps.store, turn, answerFields(taskEnd("gone")));
  await enqueueTurn(deps, turn, answerMessage(turn, task.background, deps.clock.now()));
};

const pauseFor = (elapsedMs: number): number =>
  Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, Math.round(elapsedMs * PAUSE_SHARE)));

/** The text for the person if the task has ended or asks a question; undefined: it still works. */
const look = async (
  deps: TaskDeps,
  turn: TaskRef,
  task: TurnTask,
  work: WorkContext,
  connection: Connection | undefined,
): Promise<TaskAnswer | undefined> => {
  if (connection === undefined) return answerFields(taskEnd("gone"));
  const { remoteAgents, peer, label, deadlineMs } = connection;
  const isLate = deps.clock.now() >= Date.parse(task.startedAt) + deadlineMs;
  let update: TaskUpdate;
  try {
    const client = await remoteAgents.clientOf(peer);
    update = await client.get(task.taskId ?? "", AbortSignal.timeout(REQUEST_TIMEOUT_MS));
  } catch (error) {
    deps.logger.warn({ model: label, turnId: turn.turnId, error: failureDetail(error) }, "could not read a task");
    if (isProtocolError(error)) return answerFields(taskEnd("gone"));
    if (isUnreachable(error)) remoteAgents.forget(peer);
    return isLate ? answerFields(taskEnd("unreachable")) : undefined;
  }
  if (update.state === "working") return isLate ? answerFields(taskEnd("timedOut")) : undefined;
  await saveOutcome(deps.store, { ...turn, ...work }, task, update);
  if (update.state === "failed") return answerFields(failedEnd(update));
  const text = answerOf(update);
  return typeof text === "string" ? { answer: cutToBytes(text, MAX_ANSWER_BYTES) } : answerFields(text);
};

/** The record of a task must fit into one message of the backbone. */
const MAX_ANSWER_BYTES = 200_000;

/** The text of an ended task, or its question; the key of a text of Mooring if the agent wrote none. */
const answerOf = ({ state, text, answer }: Pick<TaskUpdate, "state" | "text" | "answer">): string | TaskEnd =>
  state === "input-required" ? text || answer || taskEnd("noQuestion") : answer || taskEnd("noAnswer");

/** Retried while the agent cannot be reached; a task that has ended already needs nothing. */
const cancelTask = async (
  { clock, logger }: TaskDeps,
  { remoteAgents, peer, label }: Connection,
  task: TurnTask,
  since: number,
): Promise<Outcome> => {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  try {
    const client = await remoteAgents.clientOf(peer);
    // The turn may have ended before the agent returned the task's id.
    const taskId = task.taskId ?? task.answers?.taskId ?? (await client.findMessage(task, signal))?.taskId;
    if (taskId !== undefined) await client.cancel(taskId, signal);
    return ack;
  } catch (error) {
    const elapsedMs = clock.now() - since;
    const retries = isUnreachable(error) && elapsedMs < CANCEL_FOR_MS;
    logger.debug({ model: label, error: messageOf(error), retries }, "could not cancel the task of an agent");
    if (!retries) return ack;
    remoteAgents.forget(peer);
    return { retryInMs: pauseFor(elapsedMs) };
  }
};

const answerMessage = (turn: TaskRef, work: WorkContext, now: number): SyntheticMessage =>
  syntheticMessage(turn, work, {
    id: agentAnswerIdOf(turn.turnId),
    type: "agent-answer",
    at: isoTime(now),
    data: { task: turn.turnId },
  });

/** In the language of the person who asked. */
const answerFor = ({ answer, end, background }: TurnTask): string | undefined =>
  (end && background && endText(end, textsOf(background))) ?? answer;

/** Turns that deliver an answer which took longer than its turn. No model is called. */
export const agentAnswerTurns = ({ store }: Pick<CoreDeps, "store">): Pick<TurnSources, "agent-answer"> => ({
  "agent-answer": async (agent, { synthetic: { data } }) => {
    const turn = { tenant: agent.tenant, agent: agent.name, turnId: data?.task ?? "" };
    const task = await readTurnTask(store, turn);
    const answer = task && answerFor(task);
    return {
      text: "[the agent has finished the task that took longer than its turn]",
      ...(answer !== undefined && { answer }),
      mustReply: true,
      obsolete: answer === undefined,
    };
  },
});

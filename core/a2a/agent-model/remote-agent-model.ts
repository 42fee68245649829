import { AppError, BackboneUnavailable } from "../../contract/app-error.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { storeReceived } from "../../files/index.ts";
import { ChildAbort, pause, raceAbort } from "../../lib/index.ts";
import {
  type AgentModel,
  ModelFailed,
  type StepOptions,
  type StepRequest,
  type StepResponse,
  type StepWork,
} from "../../model/index.ts";
import { appErrorIn } from "../../net/index.ts";
import { type CoreDeps, textsOf } from "../../turns/index.ts";
import { withoutFileNames } from "../client/file-text.ts";
import { failureDetail, isUnreachable } from "../client/peer-fetch.ts";
import type { RemoteAgents } from "../client/remote-agents.ts";
import type { TaskUpdate } from "../client/task-update.ts";
import type { RemotePeer } from "../config.ts";
import { addressOf } from "../identity.ts";
import { explainFailure, failedTask, isProtocolError, StillWorking, TaskTimedOut } from "./agent-failures.ts";
import { followInBackground } from "./background-task.ts";
import { type Following, findTask, followTask, isQuestionOf, pauseAfter, startTask } from "./follow-task.ts";
import { ShownText } from "./shown-text.ts";
import { turnMessage } from "./turn-message.ts";
import {
  continueInBackground,
  type OpenedTask,
  openTurnTask,
  readTurnTask,
  saveOutcome,
  saveTaskId,
  type TurnTask,
} from "./turn-task.ts";

export interface AgentModelDeps extends Pick<CoreDeps, "bus" | "store" | "clock" | "logger" | "checkpoint" | "tracer"> {
  readonly remoteAgents: RemoteAgents;
}

export interface AgentSettings {
  readonly label: string;
  readonly peer: RemotePeer;
  readonly deadlineMs: number;
  readonly waitMs: number;
  readonly unreachableMs: number;
}

/** The state of one step over all its requests. */
interface Progress {
  readonly work: StepWork;
  readonly shown: ShownText;
  readonly signal: AbortSignal;
  /** Set by each response. */
  wasReached: boolean;
  /** The agent's stream was larger than we accept, so its task is polled. */
  isPolled: boolean;
  /** The id of the task is stored, so it can be followed after the turn. */
  hasTask: boolean;
  /** Ends the wait as soon as the id is stored. */
  onTask?: () => void;
}

/** An agent elsewhere that answers the turns of one of ours (T6). A turn is a message of its session's context there. */
export class RemoteAgentModel implements AgentModel {
  readonly label: string;
  readonly isAgent = true;
  readonly #deps: AgentModelDeps;
  readonly #settings: AgentSettings;

  constructor(deps: AgentModelDeps, settings: AgentSettings) {
    this.label = settings.label;
    this.#deps = deps;
    this.#settings = settings;
  }

  async step(_request: StepRequest, { signal, onText, work }: StepOptions): Promise<StepResponse> {
    if (work === undefined) throw new ModelFailed("refused", `${this.label} is an agent: it answers turns only`);
    const over = new ChildAbort(signal);
    let timer: { cancel(): void } | undefined;
    try {
      const opened = await this.#open(work);
      if (opened.task.background !== undefined) return await this.#goOn(work);
      const { limitMs, late } = this.#limitOf(work);
      // The time counts from the first attempt, also after a restart.
      const leftMs = Math.max(0, Date.parse(opened.task.startedAt) + limitMs - this.#deps.clock.now());
      const progress: Progress = {
        work,
        shown: new ShownText(onText),
        signal: over.signal,
        wasReached: false,
        isPolled: false,
        hasTask: opened.task.taskId !== undefined,
      };
      timer = this.#deps.clock.after(leftMs, () => {
        progress.onTask = () => over.abort(late);
        if (progress.hasTask || late instanceof TaskTimedOut) progress.onTask();
      });
      const update = await raceAbort(this.#persist(opened, progress), over.signal);
      return await this.#respond(work, opened.task, update);
    } catch (error) {
      if (error instanceof StillWorking) return await this.#goOn(work);
      throw explainFailure(this.label, error);
    } finally {
      timer?.cancel();
      over.abort(new AppError("stopped", "the step is over"));
      over.release();
    }
  }

  /** A person is not kept waiting for long work. Another agent that asked needs one answer, so its turn waits to the end. */
  #limitOf({ standing }: StepWork): { readonly limitMs: number; readonly late: AppError } {
    const { deadlineMs, waitMs } = this.#settings;
    if (deadlineMs > waitMs && standing.owner.worksFor === undefined)
      return { limitMs: waitMs, late: new StillWorking() };
    const limitMs = Math.min(deadlineMs, waitMs);
    return { limitMs, late: new TaskTimedOut(limitMs) };
  }

  /** Ends the turn while the task goes on. Idempotent: a repeat after a crash publishes the same message. */
  async #goOn(work: StepWork): Promise<StepResponse> {
    const { store, bus, checkpoint } = this.#deps;
    const task = await readTurnTask(store, work);
    // Without an id the task cannot be followed.
    if (task?.taskId === undefined) throw explainFailure(this.label, new TaskTimedOut(this.#settings.waitMs));
    await continueInBackground(store, work);
    await checkpoint("agent.backgrounded");
    await followInBackground(bus, work);
    await checkpoint("agent.followed");
    return { text: textsOf(work).agents.stillWorking, toolCalls: [], finish: "stop", usage: NO_USAGE };
  }

  #open(work: StepWork): Promise<OpenedTask> {
    const pseudonym = (id: string) => this.#pseudonym(id);
    return openTurnTask(this.#deps.store, work, {
      messageId: pseudonym(work.turnId),
      contextId: pseudonym(work.sessionId),
      startedAt: isoTime(this.#deps.clock.now()),
    });
  }

  #pseudonym(id: string): string {
    return this.#deps.remoteAgents.pseudonymOf(addressOf(this.#settings.peer.url), id);
  }

  /** Resolves to the update that ends the task or asks a question. Retries while the agent cannot be reached. */
  async #persist(opened: OpenedTask, progress: Progress): Promise<TaskUpdate> {
    const { clock, remoteAgents, logger } = this.#deps;
    const { peer, unreachableMs } = this.#settings;
    let { task, mayBeSent } = opened;
    let failingSince: number | undefined;
    let hasReadCard = false;
    for (let tries = 0; ; tries++) {
      progress.wasReached = false;
      try {
        return await this.#attempt({ task, mayBeSent }, progress);
      } catch (error) {
        if (progress.signal.aborted || error instanceof BackboneUnavailable) throw error;
        const now = clock.monotonic();
        failingSince = progress.wasReached ? now : (failingSince ?? now);
        if (progress.wasReached) tries = 0;
        const isMoved: boolean = !hasReadCard && isForeign(error);
        const isTooLarge = !progress.isPolled && appErrorIn(error)?.code === "too-large";
        if (!isUnreachable(error) && !isMoved && !isTooLarge) throw error;
        if (isUnreachable(error) && now - failingSince >= unreachableMs) throw error;
        hasReadCard ||= isMoved;
        progress.isPolled ||= isTooLarge;
        logger.warn(
          { model: this.label, turnId: progress.work.turnId, error: failureDetail(error) },
          "agent failed, retrying",
        );
        if (!progress.wasReached) remoteAgents.forget(peer);
        await pause(clock, pauseAfter(tries), progress.signal);
        task = (await readTurnTask(this.#deps.store, progress.work)) ?? task;
        mayBeSent = true;
      }
    }
  }

  async #attempt({ task, mayBeSent }: OpenedTask, progress: Progress): Promise<TaskUpdate> {
    const { remoteAgents, store, checkpoint } = this.#deps;
    const { work, shown, signal } = progress;
    const client = await remoteAgents.clientOf(this.#settings.peer);
    signal.throwIfAborted();
    await checkpoint("agent.sending");
    let known = task.taskId;
    const streams = client.streams && !progress.isPolled;
    const onText = (text: string) => shown.grow(text);
    const following: Following = { client, clock: this.#deps.clock, signal, onText, streams };
    let last: TaskUpdate | undefined;
    for await (const update of this.#updates(following, { task, mayBeSent }, work)) {
      progress.wasReached = true;
      last = update;
      if (update.taskId !== undefined && update.taskId !== known) {
        await checkpoint("agent.answered");
        await saveTaskId(store, work, update.taskId);
        await checkpoint("agent.accepted");
        known = update.taskId;
        progress.hasTask = true;
        progress.onTask?.();
      }
      if (update.state !== "working" && !isQuestionOf(task, update)) return this.#complete(following, update);
      if (update.state === "working") shown.note(update.key, update.text);
    }
    const how = last === undefined ? "without an event" : "before its task";
    throw new AppError("internal", `${this.label} ended its answer ${how}`);
  }

  async *#updates(following: Following, opened: OpenedTask, work: StepWork): AsyncGenerator<TaskUpdate> {
    const { task, mayBeSent } = opened;
    if (task.taskId !== undefined) {
      yield* followTask(following, task.taskId);
      return;
    }
    const found = mayBeSent ? await this.#find(following, task) : undefined;
    if (found?.taskId !== undefined) {
      yield found;
      yield* followTask(following, found.taskId);
      return;
    }
    const { clock, remoteAgents, tracer } = this.#deps;
    const message = turnMessage({ remoteAgents, tracer, now: clock.now() }, this.#settings.peer, work, task);
    try {
      yield* startTask(following, message);
    } catch (error) {
      // The task of the question has ended or expired, so the message begins another one.
      if (task.answers === undefined || !isProtocolError(error)) throw error;
      yield* startTask(following, { ...message, taskId: "" });
    }
  }

  async #find(following: Following, task: TurnTask): Promise<TaskUpdate | undefined> {
    try {
      return await findTask(following, task);
    } catch (error) {
      // The agent no longer has the task of the question.
      if (isProtocolError(error)) return undefined;
      throw error;
    }
  }

  /** A stream may omit results that the task has. */
  async #complete({ client, signal }: Following, update: TaskUpdate): Promise<TaskUpdate> {
    if (update.taskId === undefined || update.state !== "completed" || update.answer !== "") return update;
    return client.get(update.taskId, signal).catch(() => update);
  }

  async #respond(work: StepWork, task: TurnTask, update: TaskUpdate): Promise<StepResponse> {
    await saveOutcome(this.#deps.store, work, task, update);
    await this.#deps.checkpoint("agent.ended");
    if (update.state === "failed") throw failedTask(this.label, update);
    const files = await storeReceived(this.#deps, `${work.turnId}/answer`, update.files ?? []);
    const isQuestion = update.state === "input-required";
    const written = withoutFileNames(isQuestion ? update.text || update.answer : update.answer, files);
    const needsText = written === "" && (isQuestion || files.length === 0);
    const { ends } = textsOf(work).agents;
    const text = needsText ? (isQuestion ? ends.noQuestion("") : ends.noAnswer("")) : written;
    const usage = { ...(update.usage ?? NO_USAGE) };
    return { text, toolCalls: [], finish: "stop", usage, ...(files.length > 0 && { files }) };
  }
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** Neither the protocol nor our own code: perhaps another server answers at an old address of the agent. */
const isForeign = (error: unknown): boolean =>
  !isProtocolError(error) &&
  !(error instanceof ModelFailed) &&
  appErrorIn(error) === undefined &&
  !isUnreachable(error);

import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import {
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import type { A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { cancelTask, hasEnded, type InboundTask, readTask } from "../../core/a2a/inbound/index.ts";
import type { DeploymentIdentity } from "../../core/a2a/index.ts";
import type { InboundTaskAddress } from "../../core/contract/messages/addresses.ts";
import type { InboundCall } from "../../core/contract/messages/inbound-call.ts";
import type { WriteAvailability } from "../../core/contract/ports/backbone.ts";
import type { Bus } from "../../core/contract/ports/bus.ts";
import { type Clock, isoTime } from "../../core/contract/ports/clock.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import type { Checkpoint } from "../../core/contract/ports/telemetry.ts";
import { agentCard, type CardSigner } from "./agent-card.ts";
import type { Caller, ServedAgent } from "./caller-check.ts";
import { callerIn, onDisconnect, traceIn } from "./request-context.ts";
import { acceptCall, awaitCall } from "./tasks/accept-call.ts";
import { listTasks } from "./tasks/list-tasks.ts";
import { checkHistoryLength, checkId, readCall } from "./tasks/read-call.ts";
import type { TaskWatch, TaskWatcher } from "./tasks/task-watch.ts";
import { taskEvents, toWire } from "./tasks/to-wire.ts";
import { addWebhook, openWebhook, readWebhook, removeWebhook, sealWebhook, webhookOnWire } from "./tasks/webhooks.ts";

interface RequestDeps {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly writes: WriteAvailability;
  readonly checkpoint: Checkpoint;
  readonly watch: TaskWatch;
  readonly signer: Pick<CardSigner, "sign">;
  readonly identity: DeploymentIdentity;
  /** Address of the agent in hop counts. */
  readonly address: string;
  readonly publicUrl: string;
  readonly pushAllow: readonly string[];
  readonly newId: () => string;
}

/** Handles the requests for one agent from both bindings. Core does the work. */
export class RequestHandler implements A2ARequestHandler {
  readonly #deps: RequestDeps;
  readonly #agent: ServedAgent;
  /** Cached signed cards by caller name; the public card has an empty name. Cards never change. */
  readonly #cards = new Map<string, Promise<AgentCard>>();

  constructor(deps: RequestDeps, agent: ServedAgent) {
    this.#deps = deps;
    this.#agent = agent;
  }

  getAgentCard(): Promise<AgentCard> {
    return this.#card();
  }

  async getAuthenticatedExtendedAgentCard(
    _request: GetExtendedAgentCardRequest,
    context: ServerCallContext,
  ): Promise<AgentCard> {
    return this.#card(callerIn(context));
  }

  async sendMessage(request: SendMessageRequest, context: ServerCallContext): Promise<Task> {
    const { historyLength, returnImmediately = false } = request.configuration ?? {};
    const { call, repeated, continuesTask } = await this.#readCall(request, context);
    if (returnImmediately) return toWire(repeated ?? (await acceptCall(this.#deps, call)), historyLength);
    const watcher = this.#follow(call, context);
    try {
      return toWire(await awaitCall(this.#deps, call, watcher, { repeated, continuesTask }), historyLength);
    } finally {
      watcher.close();
    }
  }

  async *sendMessageStream(
    request: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const { call, repeated } = await this.#readCall(request, context);
    const watcher = this.#follow(call, context);
    try {
      const task = repeated ?? (await acceptCall(this.#deps, call));
      const { historyLength } = request.configuration ?? {};
      yield* taskEvents(task, watcher, { historyLength, read: () => this.#read(call) });
    } finally {
      watcher.close();
    }
  }

  async *resubscribe(
    { id }: SubscribeToTaskRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const address = this.#address(id, context);
    const watcher = this.#follow(address, context);
    try {
      const task = await this.#find(address);
      if (hasEnded(task)) {
        throw new UnsupportedOperationError("the task has ended and will not change: read it with GetTask");
      }
      yield* taskEvents(task, watcher, { isResubscription: true, read: () => this.#read(address) });
    } finally {
      watcher.close();
    }
  }

  async getTask({ id, historyLength }: GetTaskRequest, context: ServerCallContext): Promise<Task> {
    checkHistoryLength(historyLength);
    return toWire(await this.#find(this.#address(id, context)), historyLength);
  }

  listTasks(request: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    const { tenant, name: agent } = this.#agent;
    return listTasks(this.#deps, { tenant, agent, caller: callerIn(context).name }, request);
  }

  async cancelTask({ id }: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    const address = this.#address(id, context);
    const known = await this.#find(address);
    const task = hasEnded(known) ? known : await cancelTask(this.#deps, address);
    if (task?.state !== "canceled") throw new TaskNotCancelableError("the task has ended already");
    return toWire(task);
  }

  async createTaskPushNotificationConfig(
    config: TaskPushNotificationConfig,
    context: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    const address = this.#address(config.taskId, context);
    const rules = { version: context.requestedVersion, pushAllow: this.#deps.pushAllow };
    const webhook = readWebhook(config, rules, this.#deps.newId());
    await addWebhook(this.#deps, address, sealWebhook(this.#deps.identity, webhook));
    return webhookOnWire(address, webhook);
  }

  async getTaskPushNotificationConfig(
    { taskId, id }: GetTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    const task = await this.#find(this.#address(taskId, context));
    const webhook = task.webhooks.find((known) => known.id === id);
    if (webhook === undefined) throw new TaskNotFoundError("the task has no such push notification configuration");
    return webhookOnWire(task, openWebhook(this.#deps.identity, webhook));
  }

  async listTaskPushNotificationConfigs(
    { taskId }: ListTaskPushNotificationConfigsRequest,
    context: ServerCallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    const task = await this.#find(this.#address(taskId, context));
    const webhooks = task.webhooks.map((webhook) => openWebhook(this.#deps.identity, webhook));
    return { configs: webhooks.map((webhook) => webhookOnWire(task, webhook)), nextPageToken: "" };
  }

  async deleteTaskPushNotificationConfig(
    { taskId, id }: DeleteTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<void> {
    await removeWebhook(this.#deps, this.#address(taskId, context), id);
  }

  /** The call, whether it continues a task, and that task if the message is a repeat. */
  async #readCall(request: SendMessageRequest, context: ServerCallContext) {
    const { webhook, ...read } = readCall(request, {
      agent: this.#agent,
      address: this.#deps.address,
      caller: callerIn(context),
      version: context.requestedVersion,
      sentAt: isoTime(this.#deps.clock.now()),
      pushAllow: this.#deps.pushAllow,
      trace: traceIn(context),
    });
    const call = webhook === undefined ? read : { ...read, webhook: sealWebhook(this.#deps.identity, webhook) };
    const taskId = request.message?.taskId;
    if (!taskId) return { call, continuesTask: false };
    const task = await this.#find(call);
    if (request.message?.contextId && request.message.contextId !== task.contextId) {
      throw new RequestMalformedError("message.contextId is not the context of the task");
    }
    return { call: { ...call, contextId: task.contextId }, repeated: taskIfRepeated(task, call), continuesTask: true };
  }

  #card(caller?: Caller): Promise<AgentCard> {
    const { signer, publicUrl } = this.#deps;
    const name = caller?.name ?? "";
    const card = this.#cards.get(name) ?? signer.sign(agentCard(this.#agent, publicUrl, caller));
    this.#cards.set(name, card);
    return card;
  }

  #address(id: string, context: ServerCallContext): InboundTaskAddress {
    checkId("the task's id", id);
    if (id.trim() === "") throw new RequestMalformedError("the task's id is missing");
    const { tenant, name: agent } = this.#agent;
    return { tenant, agent, caller: callerIn(context).name, id };
  }

  #follow(address: InboundTaskAddress, context: ServerCallContext): TaskWatcher {
    const watcher = this.#deps.watch.follow(address);
    onDisconnect(context, () => watcher.close());
    return watcher;
  }

  /** The task of another caller is reported as unknown, so that its existence does not leak. */
  async #find(address: InboundTaskAddress): Promise<InboundTask> {
    const task = await this.#read(address);
    if (task === undefined) throw new TaskNotFoundError("the task does not exist, or has expired");
    return task;
  }

  #read(address: InboundTaskAddress): Promise<InboundTask | undefined> {
    return readTask(this.#deps.store, address);
  }
}

/** The task if it contains the message already. Throws if the task does not wait for a message. */
const taskIfRepeated = (task: InboundTask, { said }: InboundCall): InboundTask | undefined => {
  if (task.said.some(({ id }) => id === said.id)) return task;
  if (task.state === "input-required") return undefined;
  throw new UnsupportedOperationError(
    hasEnded(task)
      ? "the task has ended: send the message without a taskId, and with its contextId to continue the conversation"
      : "the task is in progress and does not accept messages: send the message without a taskId, or wait",
  );
};

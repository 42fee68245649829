import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AgentCard, Message, TaskStatus } from "@a2a-js/sdk";
import { AgentCard as CardJson, formatSSEEvent, Part, Role, SSE_HEADERS, TaskState } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import {
  AgentEvent,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type RequestContext,
  ServerCallContext,
} from "@a2a-js/sdk/server";
import { Recorder } from "../recorder.ts";
import { answerRest } from "./rest-binding.ts";

export { TaskState } from "@a2a-js/sdk";

/** The interface of the agent's own code to its task. */
export interface Work {
  readonly text: string;
  readonly message: Message;
  readonly taskId: string;
  /** Number of messages in this task so far. */
  readonly round: number;
  status(state: TaskState, text?: string): void;
  /** A chunk of a streamed artifact. */
  chunk(text: string, options?: ChunkOptions): void;
  /** An artifact with these parts, in the protocol's JSON. */
  artifact(artifactId: string, parts: readonly object[]): void;
  answer(text: string): void;
}

export interface ChunkOptions {
  /** Default: "answer". */
  readonly artifactId?: string;
  /** Continues the artifact; without it, the chunk begins or replaces it. */
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

export type Behaviour = (work: Work) => Promise<void> | void;

export interface SdkAgentOptions {
  readonly capabilities?: { streaming?: boolean; pushNotifications?: boolean };
  /** Bearer token that callers must send. */
  readonly token?: string;
  /** Key that callers must send in a header that the card names. */
  readonly apiKey?: { readonly header: string; readonly value: string };
  readonly description?: string;
  /** The only supported binding or version. */
  readonly speaks?: "JSON-RPC" | "HTTP+JSON" | "0.3";
  /** Address in its card; by default its own. */
  readonly cardUrl?: string;
  /** Answers with a message instead of a task. */
  readonly replies?: (text: string) => string;
  /** The metadata of its final status. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Ignores the client's context and chooses its own. */
  readonly ownContext?: string;
  /** Handles the request but closes the connection: before the response, or after the first event of a stream. */
  readonly isCut?: (method: string) => boolean;
  /** A JSON-RPC request is handled once this resolves. */
  readonly holds?: (method: string) => Promise<void>;
  /** Responds instead of the SDK; true if it did. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
}

/** A remote agent: the SDK's server on its own port. */
export class SdkAgent {
  /** Methods, or paths with HTTP+JSON, in the order of arrival. */
  readonly requests: string[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** The messages that its code got. */
  readonly received: Message[] = [];
  /** The ids of tasks that were cancelled. */
  readonly cancelled = new Recorder<string>();
  behave: Behaviour;
  options: SdkAgentOptions;
  readonly #server: Server;
  #handler: DefaultRequestHandler | undefined;

  private constructor(behave: Behaviour, options: SdkAgentOptions) {
    this.behave = behave;
    this.options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(behave: Behaviour, options: SdkAgentOptions = {}, port = 0): Promise<SdkAgent> {
    const agent = new SdkAgent(behave, options);
    await once(agent.#server.listen({ host: "127.0.0.1", port }), "listening");
    agent.#handler = agent.#handlerFor();
    return agent;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Loses all tasks, as after a restart of a server that keeps them in memory. */
  restart(): void {
    this.#handler = this.#handlerFor();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #handlerFor(): DefaultRequestHandler {
    const pushes = new InMemoryPushNotificationStore();
    const rounds = new Map<string, number>();
    const executor = {
      execute: async (request: RequestContext, bus: ExecutionEventBus) => {
        const round = (rounds.get(request.taskId) ?? 0) + 1;
        rounds.set(request.taskId, round);
        this.received.push(request.userMessage);
        const { replies } = this.options;
        if (replies) bus.publish(AgentEvent.message(messageOf(request.taskId, replies(textOf(request.userMessage)))));
        else await this.behave(workOf(request, bus, round, this.options));
        bus.finished();
      },
      cancelTask: async (taskId: string, bus: ExecutionEventBus) => {
        this.cancelled.add(taskId);
        bus.publish(AgentEvent.statusUpdate(statusUpdate(taskId, "", TaskState.TASK_STATE_CANCELED)));
      },
    };
    const sender = new DefaultPushNotificationSender(pushes);
    return new DefaultRequestHandler(this.#card(), new InMemoryTaskStore(), executor, undefined, pushes, sender);
  }

  #card(): AgentCard {
    const { speaks, cardUrl = this.url, apiKey } = this.options;
    const isRest = speaks === "HTTP+JSON";
    return CardJson.fromJSON({
      name: "Remote",
      description: this.options.description ?? "Knows ships.",
      version: "1",
      supportedInterfaces: [
        {
          url: `${cardUrl}/${isRest ? "rest" : "rpc"}`,
          protocolBinding: isRest ? "HTTP+JSON" : "JSONRPC",
          protocolVersion: "1.0",
        },
      ],
      ...(apiKey && {
        securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: apiKey.header } } },
      }),
      capabilities: { streaming: true, pushNotifications: false, ...this.options.capabilities },
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [{ id: "ships", name: "Ships", description: "Ships.", tags: ["ships"] }],
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (this.options.intercept?.(request, response, body)) return;
    const isOld = this.options.speaks === "0.3";
    if (request.url?.endsWith("agent-card.json"))
      return send(response, 200, isOld ? this.#oldCard() : this.#wireCard());
    this.headers.push(request.headers);
    if (!this.#isAuthorised(request)) return send(response, 401, { error: "unauthorised" });
    if (this.#handler === undefined) return send(response, 503, {});
    if (this.options.speaks === "HTTP+JSON") {
      this.requests.push(new URL(request.url ?? "", this.url).pathname);
      return answerRest(this.#handler, request, body, response);
    }
    const { method, id } = JSON.parse(body);
    this.requests.push(method);
    await this.options.holds?.(method);
    const isCut = this.options.isCut?.(method) === true;
    const context = new ServerCallContext({ requestedVersion: isOld ? "0.3" : "1.0" });
    const rpc = isOld ? new LegacyJsonRpcTransportHandler(this.#handler) : new JsonRpcTransportHandler(this.#handler);
    const result = await rpc.handle(JSON.parse(body), context);
    if (!(Symbol.asyncIterator in result)) {
      if (isCut) response.destroy();
      else send(response, 200, result);
      return;
    }
    response.writeHead(200, SSE_HEADERS);
    try {
      for await (const event of result) {
        // The task continues after the client has disconnected.
        if (response.destroyed) continue;
        await new Promise((written) => response.write(formatSSEEvent(event), written));
        if (isCut) response.destroy();
      }
    } catch (error) {
      const refusal = JsonRpcTransportHandler.mapToJSONRPCError(error as Error);
      response.write(formatSSEEvent({ jsonrpc: "2.0", id, error: refusal }));
    }
    response.end();
  }

  #isAuthorised({ headers }: IncomingMessage): boolean {
    const { token, apiKey } = this.options;
    if (apiKey !== undefined) return headers[apiKey.header.toLowerCase()] === apiKey.value;
    return token === undefined || headers.authorization === `Bearer ${token}`;
  }

  #wireCard(): unknown {
    return CardJson.toJSON(this.#card());
  }

  #oldCard(): unknown {
    const { supportedInterfaces: _, ...card } = this.#wireCard() as Record<string, unknown>;
    return { ...card, url: `${this.url}/rpc`, preferredTransport: "JSONRPC", protocolVersion: "0.3.0" };
  }
}

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

const statusOf = (state: TaskState, taskId: string, text?: string): TaskStatus => ({
  state,
  timestamp: new Date().toISOString(),
  message: text === undefined ? undefined : messageOf(taskId, text),
});

const messageOf = (taskId: string, text: string): Message => ({
  messageId: `said-${Math.random()}`,
  contextId: "",
  taskId,
  role: Role.ROLE_AGENT,
  parts: [textPart(text)],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

const textOf = ({ parts }: Message): string =>
  parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");

const textPart = (value: string) => ({
  content: { $case: "text" as const, value },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain",
});

const statusUpdate = (taskId: string, contextId: string, state: TaskState, text?: string) => ({
  taskId,
  contextId,
  status: statusOf(state, taskId, text),
  metadata: undefined,
});

const workOf = (
  { taskId, contextId: sent, userMessage, task }: RequestContext,
  bus: ExecutionEventBus,
  round: number,
  { metadata, ownContext: contextId = sent }: SdkAgentOptions,
): Work => {
  bus.publish(
    AgentEvent.task(
      task ?? {
        id: taskId,
        contextId,
        status: statusOf(TaskState.TASK_STATE_SUBMITTED, taskId),
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      },
    ),
  );
  const status = (state: TaskState, text?: string) =>
    bus.publish(
      AgentEvent.statusUpdate({
        ...statusUpdate(taskId, contextId, state, text),
        metadata: state === TaskState.TASK_STATE_COMPLETED && metadata ? { ...metadata } : undefined,
      }),
    );
  const publish = (artifactId: string, parts: Part[], { append = false, lastChunk = false }: ChunkOptions) => {
    const artifact = { artifactId, name: "", description: "", parts, metadata: undefined, extensions: [] };
    bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk, metadata: undefined }));
  };
  const chunk = (text: string, { artifactId = "answer", ...options }: ChunkOptions = {}): void =>
    publish(artifactId, [textPart(text)], options);
  return {
    text: textOf(userMessage),
    message: userMessage,
    taskId,
    round,
    status,
    chunk,
    artifact: (artifactId, parts) =>
      publish(
        artifactId,
        parts.map((part) => Part.fromJSON(part)),
        {},
      ),
    answer(text) {
      chunk(text, { lastChunk: true });
      status(TaskState.TASK_STATE_COMPLETED);
    },
  };
};

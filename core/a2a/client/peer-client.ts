import { type AgentCard, type Message, Role, TaskState } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { PushNotificationNotSupportedError, RequestMalformedError } from "@a2a-js/sdk/errors";
import { AppError, messageOf } from "../../contract/app-error.ts";
import type { RemotePeer } from "../config.ts";
import { isUnreachable, type PeerFetch, peerFetch } from "./peer-fetch.ts";
import { type OnText, type TaskUpdate, updateOfMessage, updateOfTask, updatesOfEvents } from "./task-update.ts";

export interface Webhook {
  readonly url: string;
  readonly token: string;
}

const CARD = ".well-known/agent-card.json";
/** A lost message is among the newest tasks of its context, and at the end of their histories. */
const FOUND_TASKS = 20;
const FOUND_HISTORY = 50;

export interface OutgoingMessage {
  /** A repeat of the message has the same id, so that the remote agent can deduplicate it. */
  readonly messageId: string;
  readonly contextId: string;
  readonly taskId: string;
  readonly text: string;
  /** Keyed by the name of the extension. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Trace headers, so that the remote agent's work joins our trace. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Client of one remote agent. No other file of core uses the SDK's client. */
export class PeerClient {
  readonly card: AgentCard;
  readonly #client: Client;
  readonly #fetch: PeerFetch;

  private constructor(card: AgentCard, client: Client, fetch: PeerFetch) {
    this.card = card;
    this.#client = client;
    this.#fetch = fetch;
  }

  /** The signal only covers reading the card; each later request has its own. */
  static async connect(peer: RemotePeer, signal: AbortSignal): Promise<PeerClient> {
    let card: AgentCard | undefined;
    const own = peerFetch(peer, () => credentialsOf(peer, card));
    const legacyCompat = { enabled: true };
    const options = { fetchImpl: own.fetch, legacyCompat };
    const cardFetch: typeof fetch = (input, init) => own.fetch(input, { ...init, signal });
    try {
      card = await readCard(peer, new DefaultAgentCardResolver({ fetchImpl: cardFetch, legacyCompat }));
      const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)];
      return new PeerClient(card, await new ClientFactory({ transports }).createFromAgentCard(card), own);
    } catch (error) {
      await own.close();
      throw error;
    }
  }

  get streams(): boolean {
    return this.card.capabilities?.streaming === true;
  }

  get pushes(): boolean {
    return this.card.capabilities?.pushNotifications === true;
  }

  /** Resolves once the remote agent has accepted the message. If it rejects our webhook, the task is polled instead. */
  async send(outgoing: OutgoingMessage, webhook: Webhook | undefined, signal: AbortSignal): Promise<TaskUpdate> {
    try {
      return await this.#send(outgoing, webhook, signal);
    } catch (error) {
      const isRefused = error instanceof RequestMalformedError || error instanceof PushNotificationNotSupportedError;
      if (webhook === undefined || !isRefused) throw error;
      return this.#send(outgoing, undefined, signal);
    }
  }

  async #send(outgoing: OutgoingMessage, webhook: Webhook | undefined, signal: AbortSignal): Promise<TaskUpdate> {
    const taskPushNotificationConfig = webhook && {
      tenant: "",
      id: "",
      taskId: "",
      url: webhook.url,
      token: webhook.token,
      authentication: undefined,
    };
    const configuration = { acceptedOutputModes: ["text/plain"], taskPushNotificationConfig, returnImmediately: true };
    const sent = await this.#client.sendMessage(
      { tenant: "", message: toMessage(outgoing), configuration, metadata: undefined },
      optionsFor(outgoing, signal),
    );
    return "status" in sent ? updateOfTask(sent) : updateOfMessage(sent);
  }

  async *stream(outgoing: OutgoingMessage, signal: AbortSignal, onText?: OnText): AsyncGenerator<TaskUpdate> {
    const request = { tenant: "", message: toMessage(outgoing), configuration: undefined, metadata: undefined };
    yield* updatesOfEvents(this.#client.sendMessageStream(request, optionsFor(outgoing, signal)), onText);
  }

  /** Resumes the updates of a task whose stream was interrupted. */
  async *subscribe(taskId: string, signal: AbortSignal, onText?: OnText): AsyncGenerator<TaskUpdate> {
    yield* updatesOfEvents(this.#client.resubscribeTask({ tenant: "", id: taskId }, { signal }), onText);
  }

  async get(taskId: string, signal: AbortSignal, historyLength = 0): Promise<TaskUpdate> {
    return updateOfTask(await this.#client.getTask({ tenant: "", id: taskId, historyLength }, { signal }));
  }

  /** Finds the task of a call whose response was lost, by its context. Undefined if there is none. */
  async find(contextId: string, signal: AbortSignal): Promise<TaskUpdate | undefined> {
    const [task] = await this.#tasksIn(contextId, { pageSize: 1, historyLength: 0 }, signal);
    return task;
  }

  /** The same in a context with several tasks, by the message that started or continued the task. */
  async findMessage(
    { contextId, messageId }: Pick<OutgoingMessage, "contextId" | "messageId">,
    signal: AbortSignal,
  ): Promise<TaskUpdate | undefined> {
    const tasks = await this.#tasksIn(contextId, { pageSize: FOUND_TASKS, historyLength: FOUND_HISTORY }, signal);
    return tasks.find(({ receivedIds }) => receivedIds?.includes(messageId));
  }

  /** The newest tasks of a context; none if the peer cannot list tasks. */
  async #tasksIn(
    contextId: string,
    page: { readonly pageSize: number; readonly historyLength: number },
    signal: AbortSignal,
  ): Promise<TaskUpdate[]> {
    try {
      const { tasks } = await this.#client.listTasks(
        {
          tenant: "",
          contextId,
          status: TaskState.TASK_STATE_UNSPECIFIED,
          pageToken: "",
          statusTimestampAfter: undefined,
          includeArtifacts: true,
          ...page,
        },
        { signal },
      );
      return tasks.filter((task) => task.contextId === contextId).map(updateOfTask);
    } catch (error) {
      if (signal.aborted || isUnreachable(error)) throw error;
      return [];
    }
  }

  async cancel(taskId: string, signal: AbortSignal): Promise<void> {
    await this.#client.cancelTask({ tenant: "", id: taskId, metadata: undefined }, { signal });
  }

  close(): Promise<void> {
    return this.#fetch.close();
  }
}

/** Reads the card below the configured address, else at the root of the host. */
const readCard = async ({ url }: RemotePeer, resolver: DefaultAgentCardResolver): Promise<AgentCard> => {
  if (url.endsWith(".json")) return resolver.resolve(url, "");
  try {
    return await resolver.resolve(url.endsWith("/") ? url : `${url}/`, CARD);
  } catch (error) {
    if (error instanceof AppError || new URL(url).pathname === "/" || !/: 404$/.test(messageOf(error))) throw error;
    return resolver.resolve(url, `/${CARD}`);
  }
};

const credentialsOf = ({ token, apiKey }: RemotePeer, card: AgentCard | undefined): Record<string, string> => {
  if (token !== undefined) return { authorization: `Bearer ${token.reveal()}` };
  return apiKey === undefined ? {} : { [keyHeader(card)]: apiKey.reveal() };
};

const HEADER_NAME = /^[A-Za-z][\w-]*$/;

/** The header that the card names for the API key; a default until the card is read. */
const keyHeader = (card: AgentCard | undefined): string => {
  for (const { scheme } of Object.values(card?.securitySchemes ?? {})) {
    if (scheme?.$case !== "apiKeySecurityScheme" || scheme.value.location !== "header") continue;
    if (HEADER_NAME.test(scheme.value.name)) return scheme.value.name;
  }
  return "X-API-Key";
};

const optionsFor = ({ headers }: OutgoingMessage, signal: AbortSignal) => ({
  signal,
  ...(headers && { serviceParameters: headers }),
});

const toMessage = ({ text, metadata, headers: _, ...message }: OutgoingMessage): Message => ({
  ...message,
  role: Role.ROLE_USER,
  parts: [{ content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "text/plain" }],
  metadata: { ...metadata },
  extensions: Object.keys(metadata),
  referenceTaskIds: [],
});

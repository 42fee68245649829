import type { AgentCard, Message } from "@a2a-js/sdk";
import { Role, TaskState } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { PushNotificationNotSupportedError, RequestMalformedError } from "@a2a-js/sdk/errors";
import { AppError, messageOf } from "../../contract/app-error.ts";
import type { OutgoingMessage } from "./outgoing-message.ts";
import { isUnreachable } from "./peer-failure.ts";
import type { PeerFetch } from "./peer-fetch.ts";
import { peerFetch } from "./peer-fetch.ts";
import type { RemotePeer } from "./remote-peer.ts";
import { newsOfEvents, newsOfMessage, newsOfTask, type TaskNews } from "./task-news.ts";

export interface Webhook {
  readonly url: string;
  readonly token: string;
}

const CARD = ".well-known/agent-card.json";

/** One remote agent, by its card. The SDK is used here and nowhere else in core. */
export class PeerClient {
  readonly card: AgentCard;
  readonly #client: Client;
  readonly #fetch: PeerFetch;

  private constructor(card: AgentCard, client: Client, fetch: PeerFetch) {
    this.card = card;
    this.#client = client;
    this.#fetch = fetch;
  }

  /** The signal ends the reading of the card; everything later has one of its own. */
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

  /** Returns as soon as the remote agent has it. One that does not want our webhook is asked now and then. */
  async send(outgoing: OutgoingMessage, webhook: Webhook | undefined, signal: AbortSignal): Promise<TaskNews> {
    try {
      return await this.#send(outgoing, webhook, signal);
    } catch (error) {
      const isRefused = error instanceof RequestMalformedError || error instanceof PushNotificationNotSupportedError;
      if (webhook === undefined || !isRefused) throw error;
      return this.#send(outgoing, undefined, signal);
    }
  }

  async #send(outgoing: OutgoingMessage, webhook: Webhook | undefined, signal: AbortSignal): Promise<TaskNews> {
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
    return "status" in sent ? newsOfTask(sent) : newsOfMessage(sent);
  }

  async *stream(outgoing: OutgoingMessage, signal: AbortSignal): AsyncGenerator<TaskNews> {
    const request = { tenant: "", message: toMessage(outgoing), configuration: undefined, metadata: undefined };
    yield* newsOfEvents(this.#client.sendMessageStream(request, optionsFor(outgoing, signal)));
  }

  /** Goes on listening to a task whose stream was cut. */
  async *subscribe(taskId: string, signal: AbortSignal): AsyncGenerator<TaskNews> {
    yield* newsOfEvents(this.#client.resubscribeTask({ tenant: "", id: taskId }, { signal }));
  }

  async get(taskId: string, signal: AbortSignal, historyLength = 0): Promise<TaskNews> {
    return newsOfTask(await this.#client.getTask({ tenant: "", id: taskId, historyLength }, { signal }));
  }

  /** The task that a message has begun whose answer was lost. Undefined: there is none, or it cannot be looked for. */
  async find(contextId: string, signal: AbortSignal): Promise<TaskNews | undefined> {
    try {
      const { tasks } = await this.#client.listTasks(
        {
          tenant: "",
          contextId,
          status: TaskState.TASK_STATE_UNSPECIFIED,
          pageSize: 1,
          pageToken: "",
          historyLength: 0,
          statusTimestampAfter: undefined,
          includeArtifacts: true,
        },
        { signal },
      );
      const [task] = tasks.filter((each) => each.contextId === contextId);
      return task && newsOfTask(task);
    } catch (error) {
      if (signal.aborted || isUnreachable(error)) throw error;
      return undefined;
    }
  }

  async cancel(taskId: string, signal: AbortSignal): Promise<void> {
    await this.#client.cancelTask({ tenant: "", id: taskId, metadata: undefined }, { signal });
  }

  close(): Promise<void> {
    return this.#fetch.close();
  }
}

/** Below the configured address, else at its root. */
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

/** The header that the card names for a key; it is not known before the card is. */
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

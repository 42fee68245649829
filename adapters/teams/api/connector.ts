import { ConnectorClient } from "botframework-connector";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import type { BotToken } from "./bot-token.ts";
import { ConnectTimeoutAgent } from "./connect-timeout-agent.ts";

type Conversations = ConnectorClient["conversations"];
export type OutgoingActivity = Parameters<Conversations["sendToConversation"]>[1];

/** The endpoint of a conversation. */
export interface Address {
  /** From an authenticated activity only, because requests there carry the bot's token. */
  readonly serviceUrl: string;
  readonly conversationId: string;
}

/** Teams' REST calls, without retries: the outbox retries. */
export class Connector {
  readonly #token: BotToken;
  readonly #agent: ConnectTimeoutAgent;
  readonly #clients = new Map<string, ConnectorClient>();

  constructor(token: BotToken, clock: Pick<Clock, "after">) {
    this.#token = token;
    this.#agent = new ConnectTimeoutAgent(clock);
  }

  async send(
    { serviceUrl, conversationId }: Address,
    activity: OutgoingActivity,
    signal: AbortSignal,
  ): Promise<string> {
    const { conversations } = this.#client(serviceUrl);
    const { id } = await conversations.sendToConversation(conversationId, activity, { abortSignal: signal });
    return id;
  }

  async update(address: Address, activityId: string, activity: OutgoingActivity, signal: AbortSignal): Promise<void> {
    const { conversations } = this.#client(address.serviceUrl);
    const options = { abortSignal: signal };
    await conversations.updateActivity(address.conversationId, activityId, { ...activity, id: activityId }, options);
  }

  /** Starts a thread in a team's channel, with the activity as its first message. */
  async startThread(
    { serviceUrl, conversationId }: Address,
    { botId, tenantId }: Bot,
    activity: OutgoingActivity,
    signal: AbortSignal,
  ): Promise<string> {
    const { conversations } = this.#client(serviceUrl);
    const channelData = { channel: { id: conversationId }, tenant: { id: tenantId } };
    const thread = {
      isGroup: true,
      bot: { id: botId, name: "" },
      tenantId,
      channelData,
      activity,
    };
    const { activityId } = await conversations.createConversation(thread as Thread, { abortSignal: signal });
    return activityId;
  }

  /** The id of the private conversation with a person, created if necessary. */
  async openPrivate(serviceUrl: string, userId: string, bot: Bot, signal: AbortSignal): Promise<string> {
    const { conversations } = this.#client(serviceUrl);
    const { botId, tenantId } = bot;
    const members = [{ id: userId, name: "" }];
    const chat = {
      isGroup: false,
      bot: { id: botId, name: "" },
      members,
      tenantId,
      channelData: { tenant: { id: tenantId } },
    };
    const { id } = await conversations.createConversation(chat as Thread, { abortSignal: signal });
    return id;
  }

  #client(serviceUrl: string): ConnectorClient {
    let client = this.#clients.get(serviceUrl);
    if (client === undefined) {
      client = this.#connect(serviceUrl);
      this.#clients.set(serviceUrl, client);
    }
    return client;
  }

  #connect(baseUri: string): ConnectorClient {
    const client = new ConnectorClient(
      {
        signRequest: async (request) => {
          request.headers.set("authorization", `Bearer ${await this.#token.get()}`);
          if (request.abortSignal?.aborted) throw new DeliveryFailed("unavailable", "timed out before it was sent");
          return request;
        },
      },
      { baseUri },
    );
    const { pipeline } = (client as unknown as WithPipeline).client;
    // A retried post is a second message, and a redirect would send the token to another host.
    for (const name of ["defaultRetryPolicy", "redirectPolicy"]) pipeline.removePolicy({ name });
    if (baseUri.startsWith("https:")) {
      pipeline.addPolicy({
        name: "connectTimeoutAgent",
        // If the environment names a proxy, the SDK has already set an agent for it.
        sendRequest: (request, next) => next(request.agent ? request : Object.assign(request, { agent: this.#agent })),
      });
    }
    return client;
  }
}

export interface Bot {
  readonly botId: string;
  readonly tenantId: string;
}

type Thread = Parameters<Conversations["createConversation"]>[0];

/** The SDK has no working option for this: it ignores `noRetryPolicy`. */
interface WithPipeline {
  readonly client: { readonly pipeline: Pipeline };
}
interface Pipeline {
  removePolicy(policy: { name: string }): unknown;
  addPolicy(policy: {
    name: string;
    sendRequest(request: PipelineRequest, next: (request: PipelineRequest) => unknown): unknown;
  }): void;
}
interface PipelineRequest {
  agent?: unknown;
}

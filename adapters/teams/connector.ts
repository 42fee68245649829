import { ConnectorClient } from "botframework-connector";
import type { Clock } from "../../core/contract/clock.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import type { BotToken } from "./bot-token.ts";
import { ImpatientAgent } from "./impatient-agent.ts";

type Conversations = ConnectorClient["conversations"];
export type OutgoingActivity = Parameters<Conversations["sendToConversation"]>[1];

/** Where Teams can be called about a conversation. */
export interface Address {
  /** From an authenticated activity only: the bot's token is sent there. */
  readonly serviceUrl: string;
  readonly conversationId: string;
}

/** Teams' own calls, one request each: the outbox is what tries again. */
export class Connector {
  readonly #token: BotToken;
  readonly #agent: ImpatientAgent;
  readonly #clients = new Map<string, ConnectorClient>();

  constructor(token: BotToken, clock: Pick<Clock, "after">) {
    this.#token = token;
    this.#agent = new ImpatientAgent(clock);
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

  /** A new thread in a channel of a team: the activity is its first message. */
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

  /** The id of the private conversation with a person, which is made if there is none. */
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
          if (request.abortSignal?.aborted)
            throw new DeliveryFailed("unavailable", "there was no time left to send it");
          return request;
        },
      },
      { baseUri },
    );
    const { pipeline } = (client as unknown as WithPipeline).client;
    // A repeated post is a second message, and a redirect would take the token to another host.
    for (const name of ["defaultRetryPolicy", "redirectPolicy"]) pipeline.removePolicy({ name });
    if (baseUri.startsWith("https:")) {
      pipeline.addPolicy({
        name: "impatientAgent",
        // where the environment names a proxy, the SDK has set one that goes there
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

/** The SDK has no options for it: `noRetryPolicy` is not heard. */
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

import type { webApi } from "@slack/bolt";
import type { Clock } from "../../core/contract/clock.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { Delivery, Receipt } from "../contract/channel-adapter.ts";
import { DeliveryFailed, draw } from "../contract/delivery-failed.ts";
import { CallPauses } from "./call-pauses.ts";
import { deliveryFailure } from "./failure.ts";
import type { SlackIdentity } from "./identity.ts";
import { metadataOf } from "./metadata.ts";
import type { SlackPost } from "./render.ts";
import { renderPost } from "./render.ts";

/** What a call of Slack needs, while the channel runs. */
export interface Connected {
  readonly identity: SlackIdentity;
  readonly client: webApi.WebClient;
}

/** Rejects with DeliveryFailed "unavailable" while the channel does not run. */
type Call = <T>(use: (connected: Connected) => Promise<T>) => Promise<T>;

/** What the app says, and the changes to it. Rejects with DeliveryFailed only. */
export class Posts {
  readonly #channel: string;
  readonly #call: Call;
  readonly #pauses: CallPauses;

  constructor(channel: string, clock: Clock, call: Call) {
    this.#channel = channel;
    this.#call = call;
    this.#pauses = new CallPauses(clock);
  }

  async deliver(delivery: Delivery): Promise<Receipt> {
    const { target } = delivery;
    // Posts are counted per room, all other calls per workspace.
    return this.#send(delivery, `post ${target.room}`, async (post, { client }) => {
      const { ts } = await client.chat.postMessage({
        channel: target.room,
        ...post,
        ...(target.thread !== undefined && { thread_ts: target.thread }),
        metadata: metadataOf(delivery.id),
        unfurl_links: false,
        unfurl_media: false,
      });
      return receiptOf(ts);
    });
  }

  edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    return this.#send(delivery, "edit", async (post, { client }) => {
      await client.chat.update({ channel: delivery.target.room, ts: messageId, ...post });
      return { messageId };
    });
  }

  async deliverOnlyTo(accountId: string, delivery: Delivery): Promise<Receipt> {
    const { target } = delivery;
    try {
      return await this.#send(delivery, "ephemeral", async (post, { client }) => {
        const { message_ts } = await client.chat.postEphemeral({
          channel: target.room,
          user: accountId,
          ...post,
          ...(target.thread !== undefined && { thread_ts: target.thread }),
        });
        return receiptOf(message_ts);
      });
    } catch (error) {
      const failure = deliveryFailure(error);
      const isFinal = failure.reason === "forbidden" || failure.reason === "target-gone";
      throw isFinal ? new DeliveryFailed("rejected", failure.message, { cause: error }) : failure;
    }
  }

  async privateConversation(accountId: string): Promise<Conversation> {
    try {
      return await this.#call(async ({ client, identity }) => {
        const { channel } = await client.conversations.open({ users: accountId });
        if (!channel?.id) throw new DeliveryFailed("unknown", "Slack opened no conversation");
        return { channel: this.#channel, workspace: identity.teamId, room: channel.id, kind: "private" };
      });
    } catch (error) {
      throw deliveryFailure(error);
    }
  }

  async #send(
    delivery: Delivery,
    counted: string,
    send: (post: SlackPost, connected: Connected) => Promise<Receipt>,
  ): Promise<Receipt> {
    const { target } = delivery;
    if (target.channel !== this.#channel) {
      throw new DeliveryFailed("rejected", `"${this.#channel}" cannot deliver to "${target.channel}"`);
    }
    this.#pauses.check(counted);
    const post = draw(delivery, renderPost);
    try {
      return await this.#call((connected) => send(post, connected));
    } catch (error) {
      const failure = deliveryFailure(error);
      this.#pauses.note(counted, failure);
      throw failure;
    }
  }
}

const receiptOf = (ts: string | undefined): Receipt => {
  if (ts === undefined) throw new DeliveryFailed("unknown", "Slack did not say what became of the message");
  return { messageId: ts };
};

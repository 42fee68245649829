import type { types, webApi } from "@slack/bolt";
import { z } from "zod";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Delivery, Receipt } from "../contract/channel-adapter.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import { readFiles } from "../contract/outgoing-file.ts";
import { renderOrFail } from "../contract/render-delivery.ts";
import { deliveryFailure, slackErrorOf } from "./failure.ts";
import { FILE_LIMITS, withFiles } from "./files/upload-files.ts";
import type { SlackPost } from "./render.ts";
import { renderPost } from "./render.ts";
import type { SlackIdentity } from "./web-api.ts";

/** The dependencies of a call to Slack, available while the channel runs. */
export interface Connected {
  readonly identity: SlackIdentity;
  readonly client: webApi.WebClient;
}

/** Rejects with DeliveryFailed "unavailable" while the channel does not run. */
type Call = <T>(use: (connected: Connected) => Promise<T>) => Promise<T>;

/** Posts, edits and finds messages. Rejects with DeliveryFailed only. */
export class Posts {
  readonly #channel: string;
  readonly #apiUrl: string;
  readonly #call: Call;
  readonly #pauses: CallPauses;

  constructor(channel: string, apiUrl: string, clock: Clock, call: Call) {
    this.#channel = channel;
    this.#apiUrl = apiUrl;
    this.#call = call;
    this.#pauses = new CallPauses(clock);
  }

  async deliver(delivery: Delivery): Promise<Receipt> {
    const { target } = delivery;
    // Slack limits posts per room, and all other calls per workspace.
    return this.#send(delivery, `post ${target.room}`, async (post, { client }) => {
      const files = delivery.files === undefined ? [] : await readFiles(delivery, FILE_LIMITS);
      const whole = files.length === 0 ? post : await withFiles(client, this.#apiUrl, post, files);
      const { ts } = await client.chat.postMessage({
        channel: target.room,
        ...whole,
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
        if (!channel?.id) throw new DeliveryFailed("unknown", "Slack did not open the direct message");
        return { channel: this.#channel, workspace: identity.teamId, room: channel.id, kind: "private" };
      });
    } catch (error) {
      throw deliveryFailure(error);
    }
  }

  markSeen(room: string, messageId: string): Promise<void> {
    return this.#react("add", { channel: room, timestamp: messageId, name: SEEN });
  }

  markWorking(room: string, messageId: string): Promise<void> {
    return this.#react("add", { channel: room, timestamp: messageId, name: WORKING });
  }

  unmarkWorking(room: string, messageId: string): Promise<void> {
    return this.#react("remove", { channel: room, timestamp: messageId, name: WORKING });
  }

  async #react(
    change: "add" | "remove",
    reaction: { channel: string; timestamp: string; name: string },
  ): Promise<void> {
    try {
      await this.#call(({ client }) => client.reactions[change](reaction));
    } catch (error) {
      // Another attempt has done it.
      const isDone = slackErrorOf(error) === (change === "add" ? "already_reacted" : "no_reaction");
      if (!isDone) throw deliveryFailure(error);
    }
  }

  async #send(
    delivery: Delivery,
    limit: string,
    send: (post: SlackPost, connected: Connected) => Promise<Receipt>,
  ): Promise<Receipt> {
    const { target } = delivery;
    if (target.channel !== this.#channel) {
      throw new DeliveryFailed("rejected", `"${this.#channel}" cannot deliver to "${target.channel}"`);
    }
    this.#pauses.check(limit);
    const post = renderOrFail(delivery, renderPost);
    try {
      return await this.#call((connected) => send(post, connected));
    } catch (error) {
      const failure = deliveryFailure(error);
      this.#pauses.note(limit, failure);
      throw failure;
    }
  }
}

const SEEN = "eyes";
const WORKING = "writing_hand";

const receiptOf = (ts: string | undefined): Receipt => {
  if (ts === undefined) throw new DeliveryFailed("unknown", "Slack returned no message timestamp");
  return { messageId: ts };
};

/** Remembers Slack's Retry-After per rate limit, so that calls fail at once meanwhile. */
class CallPauses {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws while the rate limit applies. */
  check(limit: string): void {
    const leftMs = (this.#until.get(limit) ?? 0) - this.#clock.monotonic();
    if (leftMs > 0) throw new DeliveryFailed("rate-limited", "Slack's rate limit is reached", { retryAfterMs: leftMs });
    this.#until.delete(limit);
  }

  note(limit: string, { reason, retryAfterMs = 0 }: DeliveryFailed): void {
    if (reason === "rate-limited")
      this.#until.set(limit, this.#clock.monotonic() + Math.min(retryAfterMs, MAX_PAUSE_MS));
  }
}

const MAX_PAUSE_MS = 10 * 60_000;

/** An attempt is never older than its reply, apart from clock skew. */
const MAX_CLOCK_SKEW_MS = 10 * 60_000;
const PAGE = 200;
const MAX_PAGES = 5;

/** Looks for the post of an earlier attempt by its metadata. Returns "unknown" without a history scope. */
export const findPost = async (
  client: webApi.WebClient,
  { id, reply, target }: Delivery,
): Promise<Receipt | "absent" | "unknown"> => {
  const oldest = String(Math.max(0, (Date.parse(reply.createdAt) - MAX_CLOCK_SKEW_MS) / 1_000));
  const options = { channel: target.room, oldest, limit: PAGE, include_all_metadata: true };
  let cursor: string | undefined;
  try {
    for (let page = 0; page < MAX_PAGES; page++) {
      const at = { ...options, ...(cursor !== undefined && { cursor }) };
      const { messages = [], response_metadata } =
        target.thread === undefined
          ? await client.conversations.history(at)
          : await client.conversations.replies({ ...at, ts: target.thread });
      const found = messages.find((message) => "metadata" in message && deliveryIdIn(message.metadata) === id);
      if (found?.ts !== undefined) return { messageId: found.ts };
      cursor = response_metadata?.next_cursor || undefined;
      if (cursor === undefined) return "absent";
    }
    return "unknown";
  } catch (error) {
    const failure = deliveryFailure(error);
    if (failure.reason === "forbidden" || failure.reason === "rejected") return "unknown";
    throw failure;
  }
};

const EVENT_TYPE = "mooring_delivery";

/** Invisible metadata of every post, by which `findPost` recognises a post whose response was lost. */
const metadataOf = (deliveryId: string): types.MessageMetadata => ({
  event_type: EVENT_TYPE,
  event_payload: { id: deliveryId },
});

const Marked = z.looseObject({
  event_type: z.literal(EVENT_TYPE),
  event_payload: z.looseObject({ id: z.string() }),
});

const deliveryIdIn = (metadata: unknown): string | undefined => Marked.safeParse(metadata).data?.event_payload.id;

import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import { conversationKey } from "../../core/contract/messages/conversation.ts";
import type { OutgoingReply, ReplyRequest, RequestOf } from "../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import { ack, type Consumer, DUPLICATE_WINDOW_MS, type Outcome, type Received } from "../../core/contract/ports/bus.ts";
import { addHeld, changeHeld } from "../../core/delivery/undelivered/index.ts";
import { activityUpdateIn } from "./activity/activity-entry.ts";
import { ActivitySender } from "./activity/activity-sender.ts";
import type { RelayContext } from "./context.ts";
import { callerOf } from "./outbox.ts";
import { callDeliver } from "./sending/call-adapter.ts";
import { partsOf, type SendPart } from "./sending/delivery-parts.ts";
import { afterFailure, deadLettered, delivered, outboxDurable, withheld } from "./sending/outcomes.ts";
import { toPrivate } from "./sending/private-reply.ts";
import { recordPosted } from "./sending/record-posted.ts";
import { recordReplaceable, replacePosted } from "./sending/replace-posted.ts";
import { asLinks, refusesFiles } from "./sending/reply-files.ts";

export type Deliver = (request: ReplyRequest, received: Received) => Promise<Outcome>;
export type Show = (request: RequestOf<"activity">, received: Received) => Promise<Outcome>;

/** Delivers to a channel with a log of its own: appends are idempotent, so every failure may be retried. */
const appendToLog =
  (context: RelayContext, adapter: ChannelAdapter) =>
  async (asked: OutgoingReply, received: Received): Promise<Outcome> => {
    const { channel } = adapter;
    // Lazy, because a child logger costs as much as a log line.
    const logger = () => context.logger.child({ channel, delivery: asked.id, traceId: asked.reply.traceId });
    const caller = callerOf(asked);
    const request = caller === undefined ? asked : await toPrivate(context, adapter, asked, caller);
    if (request instanceof DeliveryFailed) return afterFailure(context, channel, request, received, logger());
    // The fan-out checked the original target a moment ago, but not a private conversation found here.
    const isMoved = request.target !== asked.target;
    if (isMoved && !(await context.isStillTarget(request.reply, request.target))) return withheld(context, request);
    // A plain answer has no data, so it neither replaces a message nor is replaced.
    const hasData = request.reply.data !== undefined;
    const replaced = hasData ? await replacePosted(context, adapter, request) : "post";
    if (replaced === "replaced") return delivered(context, request);
    if (replaced !== "post") return afterFailure(context, channel, replaced, received, logger());
    const mayRepeat = received.attempt > 1 || request.reply.mayRepeat === true || isOld(context, request);
    const messageIds: string[] = [];
    for (const part of await partsOf(context, adapter, request)) {
      const tried = await callDeliver(context, adapter, { ...part, mayRepeat });
      const isRefused = tried instanceof DeliveryFailed && refusesFiles(part, tried.reason);
      const sent = isRefused
        ? await callDeliver(context, adapter, { ...(await asLinks(context, part)), mayRepeat })
        : tried;
      const failure = sent instanceof DeliveryFailed ? sent : undefined;
      context.meter.count("deliveries_total", { channel, outcome: failure?.reason ?? "accepted" });
      if (sent instanceof DeliveryFailed) return afterFailure(context, channel, sent, received, logger());
      messageIds.push(sent.messageId);
    }
    await context.checkpoint("delivery.sent");
    await recordPosted(context, request, messageIds);
    if (hasData) await recordReplaceable(context, request, messageIds);
    return delivered(context, request);
  };

/**
 * A process that was suspended may publish a duplicate after the bus has forgotten the first. The reply keeps its
 * creation time, so only an old one can be such a duplicate. Half of the window, because clocks differ.
 */
const isOld = ({ clock }: RelayContext, { reply }: OutgoingReply): boolean =>
  clock.now() - Date.parse(reply.createdAt) > DUPLICATE_WINDOW_MS / 2;

/** Appends at once, or queues the request until the quiet hours of its conversation have ended (D2). */
export const appendOrHold = (context: RelayContext, adapter: ChannelAdapter): Deliver => {
  const append = appendToLog(context, adapter);
  const { bus, clock, tenant, logger } = context;
  return async (request, received) => {
    const { id, target, reply, holdUntil = 0 } = request;
    if (holdUntil <= clock.now()) return append(request, received);
    await listHeld(context, request, holdUntil);
    await bus.publish(subjectsOf(tenant).delivery(adapter.channel), request, { id, key: conversationKey(target) });
    logger.info({ channel: adapter.channel, delivery: id, traceId: reply.traceId }, "delivery held for quiet hours");
    return ack;
  };
};

/** Lists a held delivery, so that `status` and `why` can show it (I3). The queue itself cannot be read by conversation. Idempotent. */
const listHeld = ({ store, clock }: RelayContext, request: ReplyRequest, notBefore: number) =>
  addHeld(store, request, { now: clock.now(), notBefore });

const unlistHeld = async ({ store }: RelayContext, { id, target }: Pick<ReplyRequest, "id" | "target">) => {
  await changeHeld(store, target, (held) =>
    held.items.some((each) => each.id === id) ? { ...held, items: held.items.filter((each) => each.id !== id) } : held,
  );
};

/** Appends held deliveries one by one, in order per conversation. A log needs no digest: its readers scroll. */
export const startHeldForLog = (context: RelayContext, adapter: ChannelAdapter): Promise<Consumer> => {
  const append = appendToLog(context, adapter);
  const { bus, clock, tenant, limits } = context;
  return bus.consume(
    subjectsOf(tenant).delivery(adapter.channel),
    {
      durable: outboxDurable(adapter.channel),
      concurrency: limits.concurrency,
      async onDeadLetter(request, letter) {
        if (request === undefined) return;
        await deadLettered(context, request, letter);
        await unlistHeld(context, request);
      },
    },
    async (request, received) => {
      const { holdUntil = 0 } = request.kind === "reply" ? request : {};
      const leftMs = holdUntil - clock.now();
      if (leftMs > 0) return { retryInMs: leftMs };
      const isTarget = await context.isStillTarget(request.reply, request.target);
      const outcome = await (isTarget ? append(request, received) : withheld(context, request));
      if (holdUntil > 0 && outcome === ack) await unlistHeld(context, request);
      return outcome;
    },
  );
};

/** Shows an activity entry on a channel with a log of its own, which needs no ledger and no rate limit. */
export const showInLog = (context: RelayContext, adapter: ChannelAdapter): Show => {
  const post: SendPart = async (delivery, { attempt }) => {
    const mayRepeat = delivery.mayRepeat || attempt > 1;
    const sent = await callDeliver(context, adapter, { ...delivery, mayRepeat });
    return sent instanceof DeliveryFailed ? { again: sent } : { accepted: "now", messageId: sent.messageId };
  };
  const sender = new ActivitySender(context, adapter, { post, maySend: () => true, editEveryMs: () => 0 });
  return async ({ id, reply, target }, received) => {
    const { channel } = adapter;
    const update = activityUpdateIn(reply);
    const logger = context.logger.child({ channel, delivery: id, traceId: reply.traceId });
    return update === undefined ? ack : sender.show(update, target, received, logger);
  };
};

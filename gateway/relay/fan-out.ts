import { isWorkMarkingAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { activityOf } from "../../core/contract/messages/agent-reply.ts";
import { conversationKey, sameConversation } from "../../core/contract/messages/conversation.ts";
import { activityRequest, type RequestOf, replyRequest } from "../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import { ack, type Consumer, type Outcome } from "../../core/contract/ports/bus.ts";
import { isProactive } from "../../core/delivery/index.ts";
import { readPlacedReply } from "../../core/origin/index.ts";
import { enqueueActivity } from "./activity/activity-entry.ts";
import { appendOrHold, type Deliver, type Show, showInLog } from "./append-to-log.ts";
import type { RelayContext } from "./context.ts";
import { isEmpty } from "./outbox.ts";
import { ACCESS_LOST, deadLettered } from "./sending/outcomes.ts";
import { recordBeforePosting } from "./sending/record-posted.ts";
import { draftIn, startId } from "./sending/stream-draft.ts";

export const relayDurable = (channel: string) => `relay-${channel}`;

/**
 * Consumes every reply of the agent and makes one delivery per target on this channel. A channel with a log of its own
 * is delivered to directly: its log is queue and ledger, and a plain message stays within its durable writes.
 */
export const startFanOut = (context: RelayContext, adapter: ChannelAdapter): Promise<Consumer> => {
  const { channel, capabilities } = adapter;
  const isLog = capabilities.resend === "log";
  const deliver = isLog ? appendOrHold(context, adapter) : enqueue(context, adapter);
  const show: Show = isLog ? showInLog(context, adapter) : (request) => enqueueActivity(context, request);
  return context.bus.consume(
    subjectsOf(context.tenant).userResponse(context.agent),
    {
      durable: relayDurable(channel),
      concurrency: context.limits.concurrency,
      from: "now",
      async onDeadLetter(reply, letter) {
        if (reply === undefined || activityOf(reply) || draftIn(reply)) return;
        const { places = [] } = (await readPlacedReply(context.store, { ...reply, replyId: reply.id })) ?? {};
        for (const { conversation: target } of await context.targetsOn(channel, reply)) {
          const isShown = places.some(({ conversation }) => sameConversation(conversation, target));
          if (!isShown) await deadLettered(context, { reply, target }, letter);
        }
      },
    },
    async (reply, received) => {
      const draft = draftIn(reply);
      if (draft) {
        if (draft.target.channel === channel && !isLog) await enqueueDraft(context, draft);
        return ack;
      }
      const isActivity = reply.kind !== "final" && activityOf(reply) !== undefined;
      const all = await context.targetsOn(channel, reply);
      if (context.hasLostAccess(channel, reply, all))
        await context.reportUndeliverable(reply, reply.audience.conversation, ACCESS_LOST);
      // Activity goes to the origin conversation only (D2).
      const targets = isActivity
        ? all.filter(({ conversation }) => sameConversation(conversation, reply.audience.conversation))
        : all;
      if (targets.length === 0) return ack;
      await context.checkpoint("relay.received");
      if (isProactive(reply) && !isEmpty(reply)) await recordBeforePosting(context, reply);
      const outcomes = targets.map(({ conversation, holdUntil }) =>
        isActivity
          ? show(activityRequest(reply, conversation), received)
          : deliver({ ...replyRequest(reply, conversation), ...(holdUntil !== undefined && { holdUntil }) }, received),
      );
      return worst(await Promise.all(outcomes));
    },
  );
};

const enqueue = ({ bus, tenant }: RelayContext, adapter: ChannelAdapter): Deliver => {
  const { channel, capabilities } = adapter;
  const subject = subjectsOf(tenant).delivery(channel);
  // An empty reply still has to finish a draft, or remove a mark, that the platform shows.
  const mayShowWork = capabilities.streamEveryMs !== undefined || isWorkMarkingAdapter(adapter);
  return async (request) => {
    if (isEmpty(request.reply) && !mayShowWork) return ack;
    try {
      await bus.publish(subject, request, { id: request.id, key: conversationKey(request.target) });
      return ack;
    } catch (error) {
      if (error instanceof AppError && error.code === "too-large") return { deadLetter: error.message };
      throw error;
    }
  };
};

const enqueueDraft = async ({ bus, tenant }: RelayContext, request: RequestOf<"stream-start">): Promise<void> => {
  const { target } = request;
  const options = { id: startId(request), key: conversationKey(target) };
  await bus.publish(subjectsOf(tenant).delivery(target.channel), request, options);
};

/** A failure for one target retries the reply for all; targets that have it recognise the duplicate. */
const worst = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.find((outcome) => "retryInMs" in outcome) ?? outcomes.find((outcome) => "deadLetter" in outcome) ?? ack;

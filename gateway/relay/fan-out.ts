import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import type { AgentReply } from "../../core/contract/agent-reply.ts";
import { AppError } from "../../core/contract/app-error.ts";
import type { Consumer, Outcome, Received } from "../../core/contract/bus.ts";
import { ack } from "../../core/contract/bus.ts";
import { conversationKey, sameConversation } from "../../core/contract/conversation.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import { isRefused, type Target } from "../../core/delivery/targets/index.ts";
import { readTold } from "../../core/origin/index.ts";
import type { ActivityUpdate } from "./activity-update.ts";
import { activityUpdateIn } from "./activity-update.ts";
import { enqueueActivity } from "./enqueue-activity.ts";
import { givenUp } from "./given-up.ts";
import { hasNothingToShow } from "./has-nothing-to-show.ts";
import { appendOrHold } from "./held-for-log.ts";
import type { RelayContext } from "./relay-context.ts";
import { showInLog } from "./show-in-log.ts";
import { SHUT_OUT } from "./withheld.ts";

export const relayDurable = (channel: string) => `relay-${channel}`;

/**
 * Consumes every reply of the agent and makes one delivery per target on this channel. A channel with a log of its own
 * is delivered to directly: its log is queue and ledger, and a plain message stays within its durable writes.
 */
export const startFanOut = (context: RelayContext, adapter: ChannelAdapter): Promise<Consumer> => {
  const { channel, capabilities } = adapter;
  const isLog = capabilities.resend === "log";
  const deliver = isLog ? appendOrHold(context, adapter) : enqueue(context, adapter);
  const show: Show = isLog
    ? showInLog(context, adapter)
    : (request, update) => enqueueActivity(context, request, update);
  return context.bus.consume(
    subjectsOf(context.tenant).userResponse(context.agent),
    {
      durable: relayDurable(channel),
      concurrency: context.limits.concurrency,
      from: "now",
      async buried(reply, letter) {
        if (reply === undefined || activityUpdateIn(reply)) return;
        const { places = [] } = (await readTold(context.store, { ...reply, replyId: reply.id })) ?? {};
        for (const { conversation: target } of await context.targetsOn(channel, reply)) {
          const isShown = places.some(({ conversation }) => sameConversation(conversation, target));
          if (!isShown) await givenUp(context, { reply, target }, letter);
        }
      },
    },
    async (reply, received) => {
      const update = activityUpdateIn(reply);
      const all = await context.targetsOn(channel, reply);
      if (isShutOut(channel, reply, all)) await context.reportGone(reply, reply.audience.conversation, SHUT_OUT);
      // Activity goes to the origin conversation only (D2).
      const targets = update
        ? all.filter(({ conversation }) => sameConversation(conversation, reply.audience.conversation))
        : all;
      if (targets.length === 0) return ack;
      await context.checkpoint("relay.received");
      const requests = targets.map(({ conversation, holdUntil }) => ({
        id: `${reply.id}/${conversationKey(conversation)}`,
        reply,
        target: conversation,
        ...(holdUntil !== undefined && { holdUntil }),
      }));
      const handle = (request: DeliveryRequest) =>
        update ? show(request, update, received) : deliver(request, received);
      return worst(await Promise.all(requests.map(handle)));
    },
  );
};

/** The conversation that it is for is on this channel, and access leaves it out today. */
const isShutOut = (channel: string, reply: AgentReply, targets: readonly Target[]): boolean =>
  reply.audience.conversation.channel === channel &&
  // A refusal there has been reported already.
  !isRefused(reply, reply.audience.conversation) &&
  !targets.some(({ conversation }) => sameConversation(conversation, reply.audience.conversation));

type Deliver = (request: DeliveryRequest, received: Received) => Promise<Outcome>;
type Show = (request: DeliveryRequest, update: ActivityUpdate, received: Received) => Promise<Outcome>;

const enqueue = ({ bus, tenant }: RelayContext, { channel, capabilities }: ChannelAdapter): Deliver => {
  const subject = subjectsOf(tenant).delivery(channel);
  // What was begun has to be ended.
  const mayHaveBegun = capabilities.streamEveryMs !== undefined;
  return async (request) => {
    if (hasNothingToShow(request.reply) && !mayHaveBegun) return ack;
    try {
      await bus.publish(subject, request, { id: request.id, key: conversationKey(request.target) });
      return ack;
    } catch (error) {
      if (error instanceof AppError && error.code === "too-large") return { deadLetter: error.message };
      throw error;
    }
  };
};
/** A failure for one target retries the reply for all; targets that have it recognise the duplicate. */
const worst = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.find((outcome) => "retryInMs" in outcome) ?? outcomes.find((outcome) => "deadLetter" in outcome) ?? ack;

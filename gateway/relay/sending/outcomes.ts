import type { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { type Conversation, conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { OutgoingReply, ReplyRequest } from "../../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { DeadLetter, Outcome } from "../../../core/contract/ports/bus.ts";
import { ack, deadLetterKey } from "../../../core/contract/ports/bus.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import { noteUndelivered } from "../../../core/delivery/undelivered/index.ts";
import { signalProgress } from "../../../core/lib/index.ts";
import type { RelayContext } from "../context.ts";

export const outboxDurable = (channel: string) => `outbox-${channel}`;

/** The platform has every part. */
export const delivered = (
  { bus, clock, meter, logger }: RelayContext,
  { id, reply, target }: OutgoingReply,
): Outcome => {
  const latencyMs = Math.max(0, clock.now() - Date.parse(reply.createdAt));
  meter.observe("delivery_latency_seconds", latencyMs / 1_000, { channel: target.channel });
  logger.debug({ channel: target.channel, delivery: id, traceId: reply.traceId, latencyMs }, "delivered");
  signalProgress(bus, reply);
  return ack;
};

/** The reason for conversations that a channel's access rules exclude. */
export const ACCESS_LOST = { reason: "I no longer have access there", instead: "" } as const;

/** The conversation has left the audience since the request was queued: an account was unlinked, or lost its access. */
export const withheld = async (
  { meter, logger, reportGone }: RelayContext,
  { id, reply, target }: OutgoingReply,
): Promise<Outcome> => {
  const { channel } = target;
  meter.count("deliveries_total", { channel, outcome: "withheld" });
  logger.info({ channel, delivery: id, traceId: reply.traceId }, "delivery withheld, target left the audience");
  await reportGone(reply, target, ACCESS_LOST);
  return ack;
};

/** Lists a dead letter as undelivered (D6), and reports a target that is gone to another conversation (P2). */
export const deadLettered = async (
  { bus, store, reportGone }: RelayContext,
  { reply, target }: { readonly reply: AgentReply; readonly target: Conversation },
  letter: DeadLetter,
): Promise<void> => {
  await noteUndelivered(store, { reply, target }, letter);
  signalProgress(bus, reply);
  const { reason } = letter;
  if (/^(?:target-gone|forbidden):/.test(reason)) await reportGone(reply, target, { reason, instead: IN_INBOX });
};

const IN_INBOX = "`/inbox` has it.";

/** Stores the dead letter that the bus would write, for a request that has left the bus. Idempotent. */
export const deadLetterRequest = async (
  context: RelayContext,
  channel: string,
  request: ReplyRequest,
  failure: DeliveryFailed,
  since: string,
): Promise<void> => {
  const { store, clock, tenant, meter, logger } = context;
  const letter: DeadLetter = {
    subject: subjectsOf(tenant).delivery(channel).name,
    durable: outboxDurable(channel),
    id: request.id,
    key: conversationKey(request.target),
    message: request,
    reason: `${failure.reason}: ${failure.message}`,
    attempts: 1,
    publishedAt: since,
    deadAt: isoTime(clock.now()),
  };
  meter.count("delivery_dead_letters_total", { channel, reason: failure.reason });
  logger.error({ channel, delivery: request.id, reason: failure.reason }, "dead letter");
  await store.put(deadLetterKey(letter.durable, letter.id), letter);
  await deadLettered(context, request, letter);
};

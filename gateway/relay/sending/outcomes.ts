import type { DeliveryFailed, DeliveryFailure } from "../../../adapters/contract/delivery-failed.ts";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { type Conversation, conversationKey } from "../../../core/contract/messages/conversation.ts";
import type {
  OutgoingReply,
  ReplyRequest,
  RequestKind,
  RequestOf,
} from "../../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { ack, type DeadLetter, deadLetterKey, type Outcome, type Received } from "../../../core/contract/ports/bus.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import { noteUndelivered } from "../../../core/delivery/undelivered/index.ts";
import { signalProgress } from "../../../core/lib/index.ts";
import type { RelayContext, RetryLimits } from "../context.ts";
import { AdapterBug } from "./call-adapter.ts";
import type { PartFailure } from "./delivery-parts.ts";

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
export const ACCESS_LOST = { reason: "no-access", instead: "" } as const;

/** The conversation has left the audience since the request was queued: an account was unlinked, or lost its access. */
export const withheld = async (
  { meter, logger, reportUndeliverable }: RelayContext,
  { id, reply, target }: OutgoingReply,
): Promise<Outcome> => {
  const { channel } = target;
  meter.count("deliveries_total", { channel, outcome: "withheld" });
  logger.info({ channel, delivery: id, traceId: reply.traceId }, "delivery withheld, target left the audience");
  await reportUndeliverable(reply, target, ACCESS_LOST);
  return ack;
};

/** Lists a dead letter as undelivered (D6), and reports an unreachable target to another conversation (P2). */
export const deadLettered = async (
  { bus, store, reportUndeliverable }: RelayContext,
  { reply, target }: { readonly reply: AgentReply; readonly target: Conversation },
  letter: DeadLetter,
): Promise<void> => {
  await noteUndelivered(store, { reply, target }, letter);
  signalProgress(bus, reply);
  const { reason } = letter;
  if (/^(?:target-gone|forbidden):/.test(reason))
    await reportUndeliverable(reply, target, { reason, instead: "inbox" });
};

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
  logger.error({ channel, delivery: request.id, reason: failure.reason }, "dead letter stored");
  await store.put(deadLetterKey(letter.durable, letter.id), letter);
  await deadLettered(context, request, letter);
};

/** A bug fails the same way each time, and blocks its conversation meanwhile. */
const MAX_BUG_ATTEMPTS = 5;

const FINAL: ReadonlySet<DeliveryFailure> = new Set(["target-gone", "forbidden", "rejected"]);

export const isRetryable = ({ reason }: DeliveryFailed): boolean => !FINAL.has(reason);

/** The bus outcome of a delivery of which a part was not accepted. */
export const afterPartFailure = (
  context: RelayContext,
  channel: string,
  failure: PartFailure,
  received: Received,
  logger: Logger,
): Outcome => {
  if ("waitMs" in failure) return { retryInMs: failure.waitMs };
  if ("withdrawn" in failure) return ack;
  if ("dead" in failure) return deadLetter(context, channel, failure.dead);
  return afterFailure(context, channel, failure.again, received, logger);
};

/** Retries after a pause; a dead letter if no attempt can succeed or this was the last one (D5, D6). */
export const afterFailure = (
  context: RelayContext,
  channel: string,
  failure: DeliveryFailed,
  { attempt, publishedAt }: Received,
  logger: Logger,
): Outcome => {
  if (!isRetryable(failure)) return deadLetter(context, channel, failure);
  const { clock, limits, meter, random } = context;
  const { reason, retryAfterMs } = failure;
  const ageMs = clock.now() - publishedAt;
  const isHopeless = failure instanceof AdapterBug && attempt >= MAX_BUG_ATTEMPTS;
  const pauseMs = isHopeless ? undefined : retryPause(limits.retry, { attempt, ageMs, retryAfterMs, random: random() });
  if (pauseMs === undefined) return deadLetter(context, channel, failure, ` (after ${attempt} attempts)`);
  meter.count("delivery_retries_total", { channel, reason });
  logger.info({ reason, retryInMs: pauseMs }, "delivery failed, retrying");
  return { retryInMs: pauseMs };
};

/** The bus stores the letter and logs it with this reason. */
const deadLetter = ({ meter }: RelayContext, channel: string, failure: DeliveryFailed, note = ""): Outcome => {
  meter.count("delivery_dead_letters_total", { channel, reason: failure.reason });
  return { deadLetter: `${failure.reason}: ${failure.message}${note}` };
};

interface Tried {
  readonly attempt: number;
  readonly ageMs: number;
  /** The platform's Retry-After. */
  readonly retryAfterMs?: number | undefined;
  /** 0 to 1. */
  readonly random: number;
}

/** Exponential backoff with jitter, never shorter than the platform's Retry-After. Undefined: this was the last attempt. */
export const retryPause = (
  limits: RetryLimits,
  { attempt, ageMs, retryAfterMs, random }: Tried,
): number | undefined => {
  const doubled = Math.min(limits.firstPauseMs * 2 ** Math.min(attempt - 1, 40), limits.maxPauseMs);
  // Adapters read this from headers; an invalid value must neither spin nor block for ever.
  const asked = Number.isFinite(retryAfterMs) ? Math.min(retryAfterMs ?? 0, limits.maxAgeMs) : 0;
  const pauseMs = Math.ceil(Math.max(doubled * (0.5 + random / 2), asked * (1 + random / 10)));
  if (attempt >= limits.maxAttempts) return undefined;
  if (attempt >= limits.minAttempts && ageMs + pauseMs > limits.maxAgeMs) return undefined;
  return pauseMs;
};

/** Handles one kind of request in the queue of a channel; `gateway/relay/outbox.ts` lists all kinds. */
export interface RequestHandler<K extends RequestKind> {
  /** False: the handler checks the audience of each item that it sends itself (D3). */
  readonly isForOneAudience: boolean;
  /** Rejects if the store fails or another process works on the same part; the ledger makes a repeat safe. */
  handle(request: RequestOf<K>, received: Received, logger: Logger): Promise<Outcome>;
  /** The outcome after `handle` has rejected. */
  afterError(retry: () => Outcome, logger: Logger): Outcome;
  onDeadLetter(request: RequestOf<K>, letter: DeadLetter): Promise<void>;
}

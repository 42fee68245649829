import type { PersonBudget } from "../../adapters/contract/adapter-context.ts";
import type { Receipt } from "../../adapters/contract/channel-adapter.ts";
import type { AccessRules } from "../../adapters/contract/config.ts";
import type { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import type { RateShare } from "../../adapters/contract/rate-limit.ts";
import type { FileRef } from "../../core/contract/file-ref.ts";
import type { AgentRef } from "../../core/contract/messages/addresses.ts";
import type { AgentReply, Anchor } from "../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { WriteAvailability } from "../../core/contract/ports/backbone.ts";
import type { Bus } from "../../core/contract/ports/bus.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import type { Checkpoint, Meter, Tracer } from "../../core/contract/ports/telemetry.ts";
import type { decideTargets } from "../../core/delivery/index.ts";
import type { UndeliverableResult } from "../../core/delivery/undelivered/index.ts";
import type { FilesConfig } from "../../core/files/index.ts";
import type { BlockedAccounts } from "../../core/rights/index.ts";

/** The address of each file; undefined if the links were revoked. */
export type FileLinker = (reply: AgentReply, target: Conversation) => Promise<((file: FileRef) => string) | undefined>;

/** The dependencies of every part of a channel's relay. */
export interface RelayContext extends AgentRef, ReturnType<typeof decideTargets> {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly checkpoint: Checkpoint;
  readonly tracer?: Tracer | undefined;
  /** Absent: delivery outcomes do not count for the channel's health. */
  readonly deliveryHealth?: { note(sent: Receipt | DeliveryFailed): void } | undefined;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  /** Reports to another conversation that a proactive message cannot reach its target (P2); ignores other replies. */
  readonly reportUndeliverable: (
    reply: AgentReply,
    target: Conversation,
    why: Pick<UndeliverableResult, "reason" | "instead">,
  ) => Promise<void>;
  /** The anchor of a reply in a conversation, decided at send time (O8). */
  readonly anchorIn: (conversation: Conversation, reply: AgentReply) => Promise<Anchor | null>;
  /** Links to the files of a reply, for the readers of a conversation; absent: the gateway has no public address. */
  readonly fileLinks?: FileLinker | undefined;
  /** The stored private conversation with an account. */
  readonly privateConversationOf: (channel: string, accountId: string) => Promise<Conversation | undefined>;
  /** Absent: every account that the adapter accepts may write. */
  readonly access?: AccessRules | undefined;
  /** Absent: no account is blocked. */
  readonly blocked?: BlockedAccounts | undefined;
  /** The locale of a channel, for readers whose own is unknown. */
  readonly localeOn?: ((channel: string) => string | undefined) | undefined;
  /** Joins the rate limit of accounts with other gateways; absent: this one counts alone. */
  readonly messageRates?: RateShare | undefined;
  /** Throws "rate-limited" while too many messages wait for the agent. */
  readonly refuseIfOverloaded?: (() => void) | undefined;
  /** Absent: the relay tries each write. */
  readonly writes?: WriteAvailability | undefined;
  readonly limits: RelayLimits;
  /** Of files that people send. */
  readonly files: FilesConfig;
  /** The budgets of stored bytes of the people who send files; absent: none applies. */
  readonly personBudget?: PersonBudget | undefined;
  /** Free bytes on the disk of the store; absent: unknown. */
  readonly freeBytes?: (() => Promise<number>) | undefined;
}

export interface RelayLimits {
  readonly retry: RetryLimits;
  /** Start timeout of an adapter; it is then stopped and started again. */
  readonly startWithinMs: number;
  /** Timeout of one delivery; its outcome is then unknown. */
  readonly deliverWithinMs: number;
  /** How long a platform may need until it can tell whether it has a message. */
  readonly settledAfterMs: number;
  /** How long an "idempotent" platform recognises a duplicate send. */
  readonly recognisedForMs: number;
  /** The conversations of a channel that are delivered to at the same time. */
  readonly concurrency: number;
  /** A proactive message that is older than this at its first attempt goes into a digest. */
  readonly digestAfterMs: number;
  /** How long a digest waits for further late messages. */
  readonly gatherMs: number;
  /** A channel that streams shows an answer that takes longer than this while the model writes it. */
  readonly streamAfterMs: number;
  /** How long a stop waits for deliveries in progress. */
  readonly stopWithinMs: number;
  /** Another gateway takes over an exclusive connection within this time after its holder has crashed. */
  readonly leaseMs: number;
}

export interface RetryLimits {
  readonly maxAttempts: number;
  /** Counted from when the message was stored, so that the queue of an unavailable platform expires as a whole. */
  readonly maxAgeMs: number;
  /** A message that waited longer than `maxAgeMs` for its first attempt still gets this many. */
  readonly minAttempts: number;
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
}

export const defaultRetryLimits: RetryLimits = {
  maxAttempts: 50,
  maxAgeMs: 24 * 3_600_000,
  minAttempts: 5,
  firstPauseMs: 1_000,
  maxPauseMs: 30 * 60_000,
};

export const defaultRelayLimits: RelayLimits = {
  retry: defaultRetryLimits,
  startWithinMs: 60_000,
  deliverWithinMs: 60_000,
  settledAfterMs: 5_000,
  recognisedForMs: 120_000,
  concurrency: 128,
  digestAfterMs: 15 * 60_000,
  gatherMs: 5_000,
  streamAfterMs: 1_000,
  stopWithinMs: 15_000,
  leaseMs: 10_000,
};

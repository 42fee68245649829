import type { AccessRules } from "../../adapters/contract/config.ts";
import type { AgentReply } from "../../core/contract/agent-reply.ts";
import type { Anchor } from "../../core/contract/anchor.ts";
import type { Bus } from "../../core/contract/bus.ts";
import type { Checkpoint } from "../../core/contract/checkpoint.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { Logger } from "../../core/contract/logger.ts";
import type { Meter } from "../../core/contract/meter.ts";
import type { Store } from "../../core/contract/store.ts";
import type { Tracer } from "../../core/contract/tracer.ts";
import type { WriteAvailability } from "../../core/contract/write-availability.ts";
import type { AfterRefusal, Target } from "../../core/delivery/targets/index.ts";
import type { UndeliverableResult } from "../../core/delivery/undeliverable/index.ts";
import type { DeliveryHealth } from "./delivery-health.ts";
import type { RetryLimits } from "./retry-pause.ts";

/** What every part of a channel's relay works with. */
export interface RelayContext {
  readonly tenant: string;
  readonly agent: string;
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly checkpoint: Checkpoint;
  readonly tracer?: Tracer | undefined;
  /** Absent: delivery outcomes do not count for the channel's health. */
  readonly deliveryHealth?: DeliveryHealth | undefined;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  /** Where a reply goes on a channel. */
  readonly targetsOn: (channel: string, reply: AgentReply) => Promise<readonly Target[]>;
  /** Whether a reply may still be shown in a conversation: asked again when it is sent (D3). */
  readonly isStillTarget: (reply: AgentReply, conversation: Conversation) => Promise<boolean>;
  /** Has it told elsewhere that a result that came by itself cannot get where it was to go (P2); nothing for any other reply. */
  readonly reportGone: (
    reply: AgentReply,
    target: Conversation,
    why: Pick<UndeliverableResult, "reason" | "instead">,
  ) => Promise<void>;
  /** Where a reply goes that a conversation does not take. */
  readonly afterRefusal: (reply: AgentReply, conversation: Conversation) => Promise<AfterRefusal>;
  /** The anchor to show for a reply in a conversation, decided when it is sent (O8). */
  readonly anchorIn: (conversation: Conversation, reply: AgentReply) => Promise<Anchor | null>;
  /** A private conversation with an account that is known already. */
  readonly privateConversationOf: (channel: string, accountId: string) => Promise<Conversation | undefined>;
  /** Who may speak here. */
  readonly access?: AccessRules | undefined;
  /** Throws if so much waits for the agent already that nothing more is taken. */
  readonly refuseIfCrowded?: (() => void) | undefined;
  /** Absent: whether writes work is not known, and each message is tried. */
  readonly writes?: WriteAvailability | undefined;
  readonly limits: RelayLimits;
}

export interface RelayLimits {
  readonly retry: RetryLimits;
  /** An adapter that has not started by then is stopped and tried again. */
  readonly startWithinMs: number;
  /** A delivery that has not settled by then has an unknown outcome. */
  readonly deliverWithinMs: number;
  /** How long a platform may take until it can say whether it has a message. */
  readonly settledAfterMs: number;
  /** How long an "idempotent" platform recognises a second send. */
  readonly recognisedForMs: number;
  /** How many conversations of a channel are delivered to at once. */
  readonly concurrency: number;
  /** What nobody waits for and is older than this when it could be sent comes in a digest. */
  readonly digestAfterMs: number;
  /** How long a digest waits for what else is late. */
  readonly gatherMs: number;
  /** An answer that is written for longer than this is shown while it is, on channels that do so. */
  readonly streamAfterMs: number;
  /** How long a stop waits for the deliveries under way. */
  readonly stopWithinMs: number;
  /** A gateway that dies is replaced within this time, on channels that only one may connect to. */
  readonly leaseMs: number;
}

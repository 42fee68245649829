import type { AgentReply } from "../../core/contract/agent-reply.ts";
import type { Anchor } from "../../core/contract/anchor.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { UserMessage } from "../../core/contract/user-message.ts";
import type { Measure } from "./split-markdown.ts";

/** A channel, as the gateway sees it. More abilities are the named interfaces in `abilities.ts`. */
export interface ChannelAdapter {
  readonly channel: string;
  readonly capabilities: Capabilities;
  /**
   * Resolves once messages can arrive. Reconnecting afterwards is the adapter's own business.
   * Is called again after it rejected, and after a stop: an exclusive channel may come back to the same gateway.
   */
  start(inbox: Inbox): Promise<void>;
  /**
   * Needs no request in flight. Rejects with DeliveryFailed only; reason "unknown" if the platform may have it. Draws
   * the reply before it sends anything (`draw`), so that a reply that cannot be drawn is never "unknown".
   */
  deliver(delivery: Delivery): Promise<Receipt>;
  /** Stops intake first, then waits for deliveries under way. Bounded in time by the adapter itself; may be called at any time, and twice. */
  stop(): Promise<void>;
}

export interface Inbox {
  /** Resolves once the message is stored: only then may the platform be told. */
  accept(message: UserMessage): Promise<void>;
}

export interface Capabilities {
  /** exclusive: runs, and sends, only on the gateway that holds the channel's lease. */
  readonly connection: "shared" | "exclusive";
  /**
   * What a second send of the same delivery does.
   * log: nothing, and there is no platform that could be down, so replies need no queue of their own.
   * idempotent: nothing, as long as it comes within minutes (a nonce).
   * repeats: a second message, so an attempt found half-way is never blindly repeated.
   */
  readonly resend: "log" | "idempotent" | "repeats";
  /** The longest text of one part; absent: no limit. The platform's own limit, less what an anchor and mark-up add. */
  readonly maxPartLength?: number;
  /** How long a text is for the platform; absent: its UTF-16 units. */
  readonly measure?: Measure;
  /**
   * How long an anchor is among the sections of a digest; absent: a digest is one text, with its anchors in words.
   * One anchor of a part is not counted: `maxPartLength` leaves room for it.
   */
  readonly anchorLength?: (anchor: Anchor) => number;
  /** The shortest time between two edits of one message that the platform bears; absent: 1 s. */
  readonly editEveryMs?: number;
  /**
   * An answer is shown while it is written: as a message that is edited, for adapters that can edit. This is the
   * shortest time between two such edits on the whole channel, so that what the platform bears is left for the answers
   * themselves. Absent: an answer is shown when it is whole.
   */
  readonly streamEveryMs?: number;
}

/** One part of one reply for one target. */
export interface Delivery {
  /** `<reply>/<target>/<part>`: the same on every attempt. */
  readonly id: string;
  readonly reply: AgentReply;
  readonly target: Conversation;
  readonly part: { readonly index: number; readonly count: number; readonly markdown: string };
  /** The platform's id of the reply's first part; absent for that part itself. */
  readonly firstMessageId?: string;
  /** Present exactly when it is to be shown with this part. */
  readonly anchor: Anchor | null;
  /** Of a digest: what `part.markdown` says in words, in pieces. For adapters with an `anchorLength`. */
  readonly sections?: readonly Section[];
  /** A person has asked for it to be sent again: what is remembered of earlier refusals does not count. */
  readonly byHand?: boolean;
  /** Drawing it has failed (`NotDrawn`): its text is to be sent as it was written, escaped, with its anchor in words. */
  readonly plain?: boolean;
  /** An earlier attempt may have reached the platform. */
  readonly mayRepeat: boolean;
}

/** A piece of a digest, and the anchor that stands below it. */
export interface Section {
  /** The item's place in the digest, from 1: its text begins with it. */
  readonly number: number;
  readonly markdown: string;
  readonly anchor: Anchor | null;
}

export interface Receipt {
  /** The platform's id of the message. */
  readonly messageId: string;
}

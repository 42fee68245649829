import type { AgentReply, Anchor } from "../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { InboundMessage } from "../../core/contract/messages/user-message.ts";
import type { Measure } from "./markdown/split-markdown.ts";
import type { FileLimits, OutgoingFile } from "./outgoing-file.ts";

/** A channel, as the gateway sees it. More abilities are the named interfaces in `abilities.ts`. */
export interface ChannelAdapter {
  readonly channel: string;
  readonly capabilities: Capabilities;
  /**
   * Resolves once messages can arrive. The adapter reconnects by itself afterwards.
   * The gateway calls it again after a rejection and after a stop: an exclusive channel may return to the same gateway.
   */
  start(inbox: Inbox): Promise<void>;
  /**
   * Needs no request in flight. Rejects with DeliveryFailed only; reason "unknown" if the platform may have received
   * it. Renders the reply before it sends anything (`renderOrFail`), so that a rendering failure is never "unknown".
   */
  deliver(delivery: Delivery): Promise<Receipt>;
  /** Stops intake, then waits for deliveries in progress, in bounded time. Idempotent, and allowed at any time. */
  stop(): Promise<void>;
}

export interface Inbox {
  /** Resolves once the message is stored: only then may the adapter acknowledge it to the platform. */
  accept(message: InboundMessage): Promise<Accepted>;
}

/** "ignored": from a blocked account; the adapter acknowledges it and keeps nothing of it. */
export type Accepted = "ignored" | undefined;

export interface Capabilities {
  /** exclusive: runs, and sends, only on the gateway that holds the channel's lease. */
  readonly connection: "shared" | "exclusive";
  /**
   * The effect of sending the same delivery twice.
   * log: none, and no platform can be down, so replies need no queue of their own.
   * idempotent: none, if the second send follows within minutes (a nonce).
   * repeats: a second message, so the outbox never blindly retries an attempt with an unknown outcome.
   */
  readonly resend: "log" | "idempotent" | "repeats";
  /** Maximum text length of one part; absent: no limit. The platform's limit less the room for an anchor and mark-up. */
  readonly maxPartLength?: number;
  /** The length of a text as the platform counts it; absent: UTF-16 units. */
  readonly measure?: Measure;
  /**
   * The length of an anchor between the sections of a digest; absent: a digest is one text with its anchors in text form.
   * It excludes the one anchor of a part, for which `maxPartLength` leaves room.
   */
  readonly anchorLength?: (anchor: Anchor) => number;
  /** The text that people type before the name of a command; absent: "/". */
  readonly commandPrefix?: string;
  /** The prefix in threads, if people type commands differently there. */
  readonly threadCommandPrefix?: string;
  /** Minimum time between two edits of one message; absent: 1 s. A `RoomLimitsAdapter` may have others for a room. */
  readonly editEveryMs?: number;
  /**
   * Enables streaming: the gateway posts the beginning of an answer and edits that message while the model writes. This
   * is the minimum time between two such edits on the whole channel; it leaves part of the platform's rate limit for
   * the answers themselves. Absent: people see an answer once it is complete.
   */
  readonly streamEveryMs?: number;
  /** The files that one message can have (`Delivery.files`); absent: the channel sends no files. */
  readonly files?: FileLimits;
  /** The reactions that the operator enables (`ReactingAdapter`, `WorkMarkingAdapter`); true: all. Absent: none. */
  readonly reactions?: boolean | "seen" | "working";
}

/** A part of a reply for one target. */
export interface Delivery {
  /** `<reply>/<target>/<part>`: the same on every attempt. */
  readonly id: string;
  readonly reply: AgentReply;
  readonly target: Conversation;
  /**
   * The platform's id of the person's message that this answers, as its `messageId`: where the platform can, the first
   * part quotes it or replies to it. Absent: proactive, or unknown.
   */
  readonly answers?: string;
  readonly part: { readonly index: number; readonly count: number; readonly markdown: string };
  /** The platform's id of the reply's first part; absent for that part itself. */
  readonly firstMessageId?: string;
  /** Null if this part shows no anchor. */
  readonly anchor: Anchor | null;
  /**
   * Files to send with this part, only for a channel with `capabilities.files`. `readFiles` reads and checks them before
   * anything is sent.
   */
  readonly files?: readonly OutgoingFile[];
  /** Digests only: the content of `part.markdown` by section, for adapters with an `anchorLength`. */
  readonly sections?: readonly Section[];
  /** A person requested the retry: the adapter ignores refusals that it remembers. */
  readonly byHand?: boolean;
  /** Rendering failed before (`RenderFailed`): the adapter sends the escaped source text, with the anchor in text form. */
  readonly plain?: boolean;
  /** An earlier attempt may have reached the platform. */
  readonly mayRepeat: boolean;
}

/** A section of a digest, and the anchor above it. */
export interface Section {
  /** The item's position in the digest, from 1; the text of the section begins with it. */
  readonly number: number;
  readonly markdown: string;
  readonly anchor: Anchor | null;
}

export interface Receipt {
  /** The platform's id of the message. */
  readonly messageId: string;
}

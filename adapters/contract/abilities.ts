import type { Readable } from "node:stream";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { UserSignal } from "../../core/contract/messages/signals.ts";
import type { Attachment } from "../../core/contract/messages/user-message.ts";
import type { Capabilities, ChannelAdapter, Delivery, Receipt } from "./channel-adapter.ts";

/** Receives the signals of its agent: text deltas, typing, new log entries. */
export interface SignalAdapter extends ChannelAdapter {
  onSignal(signal: UserSignal): void;
}
export const isSignalAdapter = (adapter: ChannelAdapter): adapter is SignalAdapter => "onSignal" in adapter;

/** Shows stored data and learns of changes by signals, which an outage of the bus loses. */
export interface RefreshingAdapter extends ChannelAdapter {
  /** Reads missed changes from the store. */
  refresh(): Promise<void>;
}
export const isRefreshingAdapter = (adapter: ChannelAdapter): adapter is RefreshingAdapter => "refresh" in adapter;

/** Can edit a message that it has sent. */
export interface EditingAdapter extends ChannelAdapter {
  /**
   * Replaces the whole content of the message. Fails as `deliver` does, with reason "target-gone" also if the message
   * no longer exists. Idempotent for the same delivery.
   */
  edit(messageId: string, delivery: Delivery): Promise<Receipt>;
}
export const isEditingAdapter = (adapter: ChannelAdapter): adapter is EditingAdapter => "edit" in adapter;

/** Has rooms with other limits than its capabilities, such as a slower pace of edits in groups. */
export interface RoomLimitsAdapter extends ChannelAdapter {
  /** Answers at once, from the address alone or from memory. Absent fields are as in `capabilities`. */
  limitsIn(conversation: Conversation): Partial<Pick<Capabilities, "editEveryMs" | "maxPartLength" | "files">>;
}
export const isRoomLimitsAdapter = (adapter: ChannelAdapter): adapter is RoomLimitsAdapter => "limitsIn" in adapter;

/** The capabilities of an adapter in one conversation. */
export const capabilitiesIn = (adapter: ChannelAdapter, conversation: Conversation): Capabilities =>
  isRoomLimitsAdapter(adapter) ? { ...adapter.capabilities, ...adapter.limitsIn(conversation) } : adapter.capabilities;

/** Can show a typing indicator. */
export interface TypingAdapter extends ChannelAdapter {
  showTyping(conversation: Conversation): Promise<void>;
}
export const isTypingAdapter = (adapter: ChannelAdapter): adapter is TypingAdapter => "showTyping" in adapter;

/** Can mark a person's message with a reaction, as a light sign that it has reached the agent. */
export interface ReactingAdapter extends ChannelAdapter {
  /** Best effort and idempotent. The gateway calls it once the message is stored, and only logs a failure. */
  markSeen(conversation: Conversation, messageId: string): Promise<void>;
}
export const isReactingAdapter = (adapter: ChannelAdapter): adapter is ReactingAdapter =>
  "markSeen" in adapter && isEnabled(adapter, "seen");

/** Can mark a person's message with another reaction while the agent works on its answer. */
export interface WorkMarkingAdapter extends ChannelAdapter {
  /**
   * Idempotent, and fails as `deliver` does. The gateway calls it for an answer that takes longer than a few seconds, and
   * nothing depends on its success.
   */
  markWorking(conversation: Conversation, messageId: string): Promise<void>;
  /**
   * Removes that mark, and no other one. Idempotent: succeeds without a mark. The gateway calls it once the answer is
   * posted or the work has ended, also after a restart, and retries a failure that is not final.
   */
  unmarkWorking(conversation: Conversation, messageId: string): Promise<void>;
}
export const isWorkMarkingAdapter = (adapter: ChannelAdapter): adapter is WorkMarkingAdapter =>
  "markWorking" in adapter && "unmarkWorking" in adapter && isEnabled(adapter, "working");

const isEnabled = ({ capabilities: { reactions } }: ChannelAdapter, sign: "seen" | "working"): boolean =>
  reactions === true || reactions === sign;

/** Can link to a message. */
export interface PermalinkAdapter extends ChannelAdapter {
  permalink(conversation: Conversation, messageId: string): Promise<string | undefined>;
}
export const isPermalinkAdapter = (adapter: ChannelAdapter): adapter is PermalinkAdapter => "permalink" in adapter;

/** Can ask its platform whether an attempt with an unknown outcome succeeded. */
export interface ReconcilingAdapter extends ChannelAdapter {
  find(delivery: Delivery): Promise<Receipt | "absent" | "unknown">;
}
export const isReconcilingAdapter = (adapter: ChannelAdapter): adapter is ReconcilingAdapter => "find" in adapter;

/** Can show a message in a shared conversation to one account only. */
export interface EphemeralAdapter extends ChannelAdapter {
  /** Fails as `deliver` does; on reason "rejected" the gateway falls back to a private conversation. */
  deliverOnlyTo(accountId: string, delivery: Delivery): Promise<Receipt>;
}
export const isEphemeralAdapter = (adapter: ChannelAdapter): adapter is EphemeralAdapter => "deliverOnlyTo" in adapter;

/** Can open a private conversation with an account that has not written in private yet. */
export interface DirectMessageAdapter extends ChannelAdapter {
  /** Opens the private conversation with an account if necessary. Fails as `deliver` does if the account forbids it. */
  privateConversation(accountId: string): Promise<Conversation>;
}
export const isDirectMessageAdapter = (adapter: ChannelAdapter): adapter is DirectMessageAdapter =>
  "privateConversation" in adapter;

/** Admits the members of a configured workspace, whose accounts the configuration does not name. */
export interface MembershipAdapter extends ChannelAdapter {
  /** False if the agent may no longer write to the account in a private conversation. Fails as `deliver` does. */
  isMember(conversation: Conversation, accountId: string): Promise<boolean>;
}
export const isMembershipAdapter = (adapter: ChannelAdapter): adapter is MembershipAdapter => "isMember" in adapter;

/** Has rooms whose id can change, such as a group that becomes a supergroup. The conversation follows its room. */
export interface MovingRoomsAdapter extends ChannelAdapter {
  /**
   * Called before each start. The adapter reports a move that its platform announces; `report` resolves once it is
   * stored: only then may the adapter acknowledge the event. A delivery to the old id fails with reason "moved".
   */
  reportMovesTo(report: (move: RoomMove) => Promise<void>): void;
}
export const isMovingRoomsAdapter = (adapter: ChannelAdapter): adapter is MovingRoomsAdapter =>
  "reportMovesTo" in adapter;

/** The ids of one room, as in `Conversation`. */
export interface RoomMove {
  readonly from: string;
  readonly to: string;
}

/** Stores which conversations its platform refuses, so that it does not attempt every message. */
export interface ReachAdapter extends ChannelAdapter {
  /** Yields in key order. Only operators call it, because it may scan all conversations of the channel. */
  unreachable(): AsyncIterable<UnreachableConversation>;
}
export const isReachAdapter = (adapter: ChannelAdapter): adapter is ReachAdapter => "unreachable" in adapter;

export interface UnreachableConversation {
  readonly key: string;
  readonly conversation: Conversation;
  /** The other account of a private conversation. */
  readonly accountId?: string;
  /** The platform's name of the state, such as "blocked". */
  readonly state: string;
  /** The reason and the remedy, for people. */
  readonly reason: string;
  readonly since: string;
  /** Time of the next attempt; absent: when the platform reports a change. */
  readonly askAgainAt?: string | undefined;
}

/** Can download the files that people attach to their messages. */
export interface AttachmentAdapter extends ChannelAdapter {
  /** Rejects with an AppError if the file is larger than `maxBytes` or no longer exists. */
  fetchAttachment(attachment: Attachment, maxBytes: number): Promise<Uint8Array>;
}
export const isAttachmentAdapter = (adapter: ChannelAdapter): adapter is AttachmentAdapter =>
  "fetchAttachment" in adapter;

/** Receives HTTP calls of its platform at `/channels/<channel>/<path>`. */
export interface WebhookAdapter extends ChannelAdapter {
  readonly webhooks: readonly Webhook[];
}
export const isWebhookAdapter = (adapter: ChannelAdapter): adapter is WebhookAdapter => "webhooks" in adapter;

export interface Webhook {
  readonly method: "GET" | "POST" | "OPTIONS";
  readonly path: string;
  readonly maxBodyBytes: number;
  /** Runs before the gateway reads the body; a response refuses the request. Absent: the gateway reads every body. */
  readonly refuse?: (head: WebhookHead) => Promise<WebhookResponse | undefined>;
  /** Gets the raw body, because signatures cover bytes. */
  handle(request: WebhookRequest): Promise<WebhookResponse>;
}

/** A request without its body. */
export interface WebhookHead {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly remoteAddress: string;
  /** Calls back once the response is complete or the client has disconnected. */
  whenClosed(call: () => void): void;
}

export interface WebhookRequest extends WebhookHead {
  readonly body: Buffer;
}

export interface WebhookResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream follows the client's pace, so that no large file is in memory. */
  readonly body?: string | Buffer | Readable;
}

/** Talks to browsers over a socket at `/channels/<channel>/socket`. */
export interface SocketAdapter extends ChannelAdapter {
  readonly socket: { readonly protocol: string; readonly maxFrameBytes: number };
  /** Runs before the upgrade: a refusal is a plain HTTP answer. */
  admit(request: SocketRequest): { status: number; message: string } | undefined;
  /** `stream` is the socket's output: corking it joins several frames into one write. */
  connect(socket: ClientSocket, request: SocketRequest, stream?: CorkedStream): void;
}
export const isSocketAdapter = (adapter: ChannelAdapter): adapter is SocketAdapter => "socket" in adapter;

export interface SocketRequest {
  readonly origin: string | undefined;
  readonly remoteAddress: string;
  readonly protocols: readonly string[];
  /** The `User-Agent` header, as the client claims it. */
  readonly userAgent?: string | undefined;
}

export interface CorkedStream {
  cork(): void;
  uncork(): void;
}

/** The part of a WebSocket that an adapter uses; `ws` has this shape. The caller of `connect` handles its errors. */
export interface ClientSocket {
  readonly bufferedAmount: number;
  send(data: string | Buffer, options: { binary: boolean }, sent?: (error?: Error) => void): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: "message", listener: (this: ClientSocket, data: Buffer, isBinary: boolean) => void): unknown;
  on(event: "close", listener: (this: ClientSocket, code: number) => void): unknown;
  on(event: "pong", listener: (this: ClientSocket) => void): unknown;
}

/** Reports the state of its connection to the platform. Without this ability a started adapter counts as healthy. */
export interface HealthAdapter extends ChannelAdapter {
  health(): { ok: true } | { ok: false; reason: string };
}
export const isHealthAdapter = (adapter: ChannelAdapter): adapter is HealthAdapter => "health" in adapter;

/** Can verify its configuration against the platform, for `mooring check --live`. */
export interface CheckableAdapter extends ChannelAdapter {
  /** The problems, each with its remedy. */
  checkLive(): Promise<readonly string[]>;
}
export const isCheckableAdapter = (adapter: ChannelAdapter): adapter is CheckableAdapter => "checkLive" in adapter;

/** All abilities of a platform with rooms and private conversations. */
export type RoomsAdapter = EditingAdapter &
  TypingAdapter &
  PermalinkAdapter &
  ReconcilingAdapter &
  EphemeralAdapter &
  DirectMessageAdapter &
  AttachmentAdapter &
  HealthAdapter &
  CheckableAdapter;

import type { Readable } from "node:stream";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { Attachment } from "../../core/contract/user-message.ts";
import type { UserSignal } from "../../core/contract/user-signal.ts";
import type { ChannelAdapter, Delivery, Receipt } from "./channel-adapter.ts";

/** Hears the signals of its agent: text deltas, typing, new log entries. */
export interface SignalAdapter extends ChannelAdapter {
  hear(signal: UserSignal): void;
}
export const isSignalAdapter = (adapter: ChannelAdapter): adapter is SignalAdapter => "hear" in adapter;

/** Shows what is stored, and is told of it by signals, which an outage of the bus loses. */
export interface RefreshingAdapter extends ChannelAdapter {
  /** Looks at the store for what was missed. */
  refresh(): Promise<void>;
}
export const isRefreshingAdapter = (adapter: ChannelAdapter): adapter is RefreshingAdapter => "refresh" in adapter;

/** Can change a message it has sent. */
export interface EditingAdapter extends ChannelAdapter {
  /**
   * The message then shows this delivery and nothing of what it showed before. Fails as `deliver` does; reason
   * "target-gone" also if the message is. May be called again with the same delivery, which then changes nothing.
   */
  edit(messageId: string, delivery: Delivery): Promise<Receipt>;
}
export const isEditingAdapter = (adapter: ChannelAdapter): adapter is EditingAdapter => "edit" in adapter;

/** Can show that the agent is at work. */
export interface TypingAdapter extends ChannelAdapter {
  showTyping(conversation: Conversation): Promise<void>;
}
export const isTypingAdapter = (adapter: ChannelAdapter): adapter is TypingAdapter => "showTyping" in adapter;

/** Can say where a message is to be seen. */
export interface PermalinkAdapter extends ChannelAdapter {
  permalink(conversation: Conversation, messageId: string): Promise<string | undefined>;
}
export const isPermalinkAdapter = (adapter: ChannelAdapter): adapter is PermalinkAdapter => "permalink" in adapter;

/** Can ask its platform whether an attempt with an unknown outcome got there. */
export interface ReconcilingAdapter extends ChannelAdapter {
  find(delivery: Delivery): Promise<Receipt | "absent" | "cannot-tell">;
}
export const isReconcilingAdapter = (adapter: ChannelAdapter): adapter is ReconcilingAdapter => "find" in adapter;

/** Can show a message in a shared conversation to one account only. */
export interface EphemeralAdapter extends ChannelAdapter {
  /** Fails as `deliver` does; reason "rejected" if it cannot be done now, so that it goes to a private conversation. */
  deliverOnlyTo(accountId: string, delivery: Delivery): Promise<Receipt>;
}
export const isEphemeralAdapter = (adapter: ChannelAdapter): adapter is EphemeralAdapter => "deliverOnlyTo" in adapter;

/** Can write to an account that has not written in private yet. */
export interface DirectMessageAdapter extends ChannelAdapter {
  /** The private conversation with an account, opened if need be; fails as `deliver` does if the account does not allow it. */
  privateConversation(accountId: string): Promise<Conversation>;
}
export const isDirectMessageAdapter = (adapter: ChannelAdapter): adapter is DirectMessageAdapter =>
  "privateConversation" in adapter;

/** Lets in accounts that its configuration does not name: the members of a workspace that it does. */
export interface MembershipAdapter extends ChannelAdapter {
  /** Whether an account may still be talked to in a private conversation. Fails as `deliver` does. */
  isMember(conversation: Conversation, accountId: string): Promise<boolean>;
}
export const isMembershipAdapter = (adapter: ChannelAdapter): adapter is MembershipAdapter => "isMember" in adapter;

/** Remembers where its platform does not let it write, so that it does not ask in vain with every message. */
export interface ReachAdapter extends ChannelAdapter {
  /** In the order of their keys. For operators: it may look at all that the channel knows. */
  unreachable(): AsyncIterable<UnreachablePlace>;
}
export const isReachAdapter = (adapter: ChannelAdapter): adapter is ReachAdapter => "unreachable" in adapter;

export interface UnreachablePlace {
  readonly key: string;
  readonly conversation: Conversation;
  /** Who it is with, if it is private. */
  readonly accountId?: string;
  /** One word of the platform's, such as "blocked". */
  readonly state: string;
  /** What people are told, and what somebody can do about it. */
  readonly reason: string;
  readonly since: string;
  /** When the platform is asked again; absent: when it tells that this has changed. */
  readonly askAgainAt?: string | undefined;
}

/** Can fetch the bytes of what people attach to their messages. */
export interface AttachmentAdapter extends ChannelAdapter {
  /** At most `maxBytes`: what is larger, or gone, is an AppError that says so. */
  fetchAttachment(attachment: Attachment, maxBytes: number): Promise<Uint8Array>;
}
export const isAttachmentAdapter = (adapter: ChannelAdapter): adapter is AttachmentAdapter =>
  "fetchAttachment" in adapter;

/** Is called by its platform over HTTP, at `/channels/<channel>/<path>`. */
export interface WebhookAdapter extends ChannelAdapter {
  readonly webhooks: readonly Webhook[];
}
export const isWebhookAdapter = (adapter: ChannelAdapter): adapter is WebhookAdapter => "webhooks" in adapter;

export interface Webhook {
  readonly method: "GET" | "POST" | "OPTIONS";
  readonly path: string;
  readonly maxBodyBytes: number;
  /** Asked before the body is read: what it answers with is the answer. Absent: every body is read. */
  readonly refuse?: (head: WebhookHead) => Promise<WebhookResponse | undefined>;
  /** The body as it came, because signatures are over bytes. */
  handle(request: WebhookRequest): Promise<WebhookResponse>;
}

/** A request without its body. */
export interface WebhookHead {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly remoteAddress: string;
}

export interface WebhookRequest extends WebhookHead {
  readonly body: Buffer;
}

export interface WebhookResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is read as fast as the client takes it: nothing large is to be in memory. */
  readonly body?: string | Buffer | Readable;
}

/** Talks to browsers over a socket at `/channels/<channel>/socket`. */
export interface SocketAdapter extends ChannelAdapter {
  readonly socket: { readonly protocol: string; readonly maxFrameBytes: number };
  /** Before the upgrade: a refusal is a plain HTTP answer. */
  admit(request: SocketRequest): { status: number; message: string } | undefined;
  /** `stream` is what the socket writes to: corked, several frames are one write. */
  connect(socket: ClientSocket, request: SocketRequest, stream?: CorkedStream): void;
}
export const isSocketAdapter = (adapter: ChannelAdapter): adapter is SocketAdapter => "socket" in adapter;

export interface SocketRequest {
  readonly origin: string | undefined;
  readonly remoteAddress: string;
  readonly protocols: readonly string[];
}

export interface CorkedStream {
  cork(): void;
  uncork(): void;
}

/** The part of a WebSocket that an adapter uses; `ws` has this shape. Who hands it over hears its errors. */
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

/** Knows how its connection to the platform is. Without this ability a started adapter counts as healthy. */
export interface HealthAdapter extends ChannelAdapter {
  health(): { ok: true } | { ok: false; reason: string };
}
export const isHealthAdapter = (adapter: ChannelAdapter): adapter is HealthAdapter => "health" in adapter;

/** Can verify its configuration against the platform, for `mooring check --live`. */
export interface CheckableAdapter extends ChannelAdapter {
  /** Empty: all is well. Each finding says what to do. */
  checkLive(): Promise<readonly string[]>;
}
export const isCheckableAdapter = (adapter: ChannelAdapter): adapter is CheckableAdapter => "checkLive" in adapter;

/** What a platform with rooms and private conversations can do, if it can do all of it. */
export type RoomsAdapter = EditingAdapter &
  TypingAdapter &
  PermalinkAdapter &
  ReconcilingAdapter &
  EphemeralAdapter &
  DirectMessageAdapter &
  AttachmentAdapter &
  HealthAdapter &
  CheckableAdapter;

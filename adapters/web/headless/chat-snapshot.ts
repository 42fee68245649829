import type { Activity, Anchor, ReplyAction } from "../../../core/contract/messages/agent-reply.ts";
import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import type { Before } from "../client/chat/chat-model.ts";
import type { Rating } from "../client/chat/shown-entries.ts";
import type { Versions } from "../client/chat/versions.ts";
import type { ChatStatus } from "../client/chat-listener.ts";
import type { ConversationInfo } from "../client/conversation-requests.ts";
import type { ErrorCode } from "../protocol.ts";

/** A message or command of the visitor, from this or another tab or device. */
export interface OwnMessage {
  readonly type: "message";
  /** Unique among the entries. */
  readonly key: string;
  readonly id: string;
  readonly text: string;
  /** Present if it is a command, also from a button. */
  readonly command?: { readonly name: string; readonly args: string } | undefined;
  /** The id of the reply that it answers. */
  readonly replyTo?: string | undefined;
  readonly attachments: readonly Attachment[];
  readonly createdAt: string;
  /** Present if the message was edited or answered again: the ids of all versions, and the index of this one. */
  readonly versions?: Versions | undefined;
}

/** A message of the agent. */
export interface Reply {
  readonly type: "reply";
  readonly key: string;
  readonly id: string;
  /** "progress" and "completion" report delegated work, "notice" answers a command or reports a problem. */
  readonly kind: "final" | "progress" | "completion" | "notice";
  readonly markdown: string;
  readonly outcome?: "answered" | "nothing" | "failed" | "cancelled" | undefined;
  /** The id of the message that it answers; absent: the agent wrote by itself. */
  readonly answers?: string | undefined;
  /** Show it: it says what a late or proactive message is about. */
  readonly anchor?: Anchor | undefined;
  /** Buttons: approvals, choices and more. `press` takes one. */
  readonly actions: readonly ReplyAction[];
  readonly files: readonly Attachment[];
  /** Delegated work and its state; `markdown` says the same. */
  readonly activity?: Activity | undefined;
  readonly rating?: Rating | undefined;
  readonly createdAt: string;
}

export type ChatEntry = OwnMessage | Reply;

/** A message or command that the gateway has not accepted yet; it is stored, and sent again until it is. */
export interface PendingMessage {
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** Why the gateway refused it; the person retries or discards it. Absent: it waits. */
  readonly failure?: string | undefined;
}

/** An answer that streams in; the reply with the same `answers` replaces it. */
export interface StreamedDraft {
  readonly answers: string;
  readonly markdown: string;
}

/** The state of a chat. Never changed: after a change there is another one. Unchanged parts are the same objects. */
export interface ChatSnapshot {
  /** "away": it reconnects; "full": too many tabs; "refused": see `refusal`, reconnecting would not help. */
  readonly status: ChatStatus;
  readonly refusal: ErrorCode | undefined;
  /** New messages wait in `pending`: the gateway is away or cannot store them. */
  readonly isHeld: boolean;
  /** The agent's name; empty before the first connection. */
  readonly agent: string;
  readonly entries: readonly ChatEntry[];
  readonly pending: readonly PendingMessage[];
  readonly drafts: readonly StreamedDraft[];
  /** A message waits for its answer; `stop` ends that. */
  readonly isWaiting: boolean;
  /** The agent writes, and no text has arrived yet. */
  readonly isTyping: boolean;
  /** "more": `loadOlder` loads earlier entries; "expired": the gateway has deleted them. */
  readonly older: Before;
  /** An earlier version of a message is shown; `showVersion()` returns to the newest. */
  readonly isEarlierVersion: boolean;
  /** Unread messages of this conversation; `markRead` resets it. */
  readonly unread: number;
  /** The id of the conversation: "main", or "new" until the gateway has started it. */
  readonly conversation: string;
  /** Undefined until `loadConversations`. */
  readonly conversations: readonly ConversationInfo[] | undefined;
  /** The last request about conversations has failed. */
  readonly hasListFailed: boolean;
  /** The unsent text of this conversation, as `setDraft` stored it. */
  readonly draft: string;
  /** `fileBytes` is 0 if the channel takes no files. */
  readonly limits: { readonly textLength: number; readonly fileBytes: number };
}

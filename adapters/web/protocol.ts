import { z } from "zod";
import { Activity, Anchor, ReplyAction } from "../../core/contract/messages/agent-reply.ts";
import { Attachment } from "../../core/contract/messages/user-message.ts";
import { ReplyOrigin } from "../../core/contract/messages/work-context.ts";

/** Chosen by the client. It becomes part of an id on the bus, so it is short and printable. */
const ClientId = z.string().regex(/^[A-Za-z0-9._:-]{1,100}$/, "1 to 100 of: letters, digits and . _ : -");
/** "main", or the id of a conversation that the visitor has started beside it. */
const ConversationId = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, "1 to 100 of: letters, digits and -");
const Seq = z.int().nonnegative();

export const Hello = z.object({
  type: z.literal("hello"),
  token: z.string().max(2_000).optional(),
  /** The last `seq` this client has; 0 for the whole log. Absent: only new entries. */
  resumeFrom: Seq.optional(),
  /** The conversation to enter; absent: the main one. */
  conversation: ConversationId.optional(),
  timeZone: z.string().max(64).optional(),
  locale: z.string().max(35).optional(),
});
export type Hello = z.infer<typeof Hello>;

export const Message = z.object({
  type: z.literal("message"),
  id: ClientId,
  text: z.string(),
  /** The conversation that it belongs to; absent: that of the socket. */
  conversation: ConversationId.optional(),
  /** The `id` of the reply that this answers. */
  replyTo: z.string().max(500).optional(),
  /** The `id` of an earlier message of the visitor, which this one replaces. */
  revises: ClientId.optional(),
  /** Files uploaded before. Only the `id` is read. */
  attachments: z
    .array(z.object({ id: z.string().max(100) }))
    .max(10)
    .optional(),
});
export type Message = z.infer<typeof Message>;

export const Command = z.object({
  type: z.literal("command"),
  id: ClientId,
  name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "a lower-case name of up to 32 letters, digits and -"),
  args: z.string().optional(),
  /** As in a message. */
  conversation: ConversationId.optional(),
  /** The `id` of the reply that the command refers to. */
  replyTo: z.string().max(500).optional(),
});
export type Command = z.infer<typeof Command>;

export const HistoryRequest = z.object({
  type: z.literal("history"),
  /** Entries below this `seq`. */
  before: Seq,
  limit: z.int().min(1).max(100),
});
export type HistoryRequest = z.infer<typeof HistoryRequest>;

export const ClientFrame = z.discriminatedUnion("type", [
  Hello,
  Message,
  Command,
  HistoryRequest,
  z.object({ type: z.literal("typing") }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

const said = {
  type: z.literal("said"),
  id: z.string(),
  text: z.string(),
  command: z.looseObject({ name: z.string(), args: z.string() }).optional(),
  replyTo: z.string().optional(),
  revises: z.string().optional(),
  attachments: z.array(Attachment).optional(),
  createdAt: z.iso.datetime(),
};

const shown = {
  id: z.string(),
  kind: z.enum(["final", "progress", "completion", "notice"]),
  markdown: z.string(),
  outcome: z.enum(["answered", "nothing", "failed", "cancelled"]).optional(),
  correlationId: z.string().optional(),
  /** Present with a `correlationId`: the session of the conversation after this answer. */
  sessionId: z.string().optional(),
  origin: ReplyOrigin.optional(),
  anchor: Anchor.optional(),
  actions: z.array(ReplyAction).optional(),
  /** Files that the agent sent; the visitor downloads them like their own. */
  files: z.array(Attachment).optional(),
  /** The state of delegated work; `markdown` says the same as text. */
  activity: Activity.optional(),
  createdAt: z.iso.datetime(),
};

/** A frame as the conversation's log stores it. Its `seq` is the key, not part of the value. */
export const LoggedFrame = z.discriminatedUnion("type", [
  z.looseObject(said),
  z.looseObject({ type: z.literal("reply"), ...shown }),
  z.looseObject({ type: z.literal("edit"), ...shown }),
]);
export type LoggedFrame = z.infer<typeof LoggedFrame>;

const Said = z.looseObject({ ...said, seq: Seq });
const Reply = z.looseObject({ type: z.literal("reply"), ...shown, seq: Seq });
const Edit = z.looseObject({ type: z.literal("edit"), ...shown, seq: Seq });
export const HistoryItem = z.discriminatedUnion("type", [Said, Reply, Edit]);
export type HistoryItem = z.infer<typeof HistoryItem>;

/** Every `code` of an error frame. docs/protocol.md defines how a client reacts to each. */
export const ErrorCodes = [
  "bad-frame",
  "hello-expected",
  "hello-repeated",
  "token-invalid",
  "token-expired",
  "token-unknown",
  "token-foreign",
  "token-not-owner",
  "token-link-used",
  "conversation-unknown",
  "too-many-connections",
  "too-long",
  "attachment-unknown",
  "rate-limited",
  "busy",
  "refused",
  "unavailable",
  "resume-ahead",
] as const;
export type ErrorCode = (typeof ErrorCodes)[number];

export const ServerFrame = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("welcome"),
    token: z.string(),
    /** The visitor. */
    conversation: z.string(),
    /** The conversation that the socket follows; absent: the main one. */
    thread: z.string().optional(),
    sessionId: z.string(),
    seq: Seq,
    agent: z.string(),
    /** The gateway's clock, because a client's may be wrong. Older gateways send neither this nor the limits. */
    now: z.iso.datetime().optional(),
    limits: z.looseObject({ textLength: z.int(), fileBytes: z.int() }).optional(),
    /** The operator allows speech recognition of the browser. */
    voice: z.literal(true).optional(),
  }),
  z.looseObject({ type: z.literal("accepted"), id: z.string() }),
  Said,
  Reply,
  Edit,
  z.looseObject({
    type: z.literal("delta"),
    correlationId: z.string(),
    attempt: z.int(),
    offset: z.int(),
    text: z.string(),
  }),
  z.looseObject({ type: z.literal("typing") }),
  /** The list of conversations, or the log of another one, has changed. Not stored; may be lost. */
  z.looseObject({ type: z.literal("elsewhere"), conversation: z.string() }),
  /** `before` requests the next older page; null: there is none. */
  z.looseObject({ type: z.literal("history"), items: z.array(HistoryItem), before: Seq.nullable() }),
  /** Entries below `from` have expired. */
  z.looseObject({ type: z.literal("gap"), from: Seq }),
  /** Whether messages can be stored. Sent on a change, and to a client that connects during an outage. */
  z.looseObject({ type: z.literal("storage"), available: z.boolean() }),
  z.looseObject({
    type: z.literal("error"),
    code: z.enum(ErrorCodes),
    message: z.string(),
    id: z.string().optional(),
  }),
]);
export type ServerFrame = z.infer<typeof ServerFrame>;

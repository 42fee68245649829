import { z } from "zod";
import { Conversation, conversationKey } from "./conversation.ts";
import { Asker, Audience, OwnerContext, PeerChain, ReplyOrigin } from "./work-context.ts";

/** A proactive message that the conversation has shown; its session adds it to the history (O15). */
export const ShownReply = z.looseObject({
  replyId: z.string().min(1),
  markdown: z.string(),
  origin: ReplyOrigin,
  at: z.iso.datetime(),
});
export type ShownReply = z.infer<typeof ShownReply>;

/**
 * Marks a message that core wrote: it starts a background turn of the session. "task" begins new work (a schedule run).
 * The other types continue work and inherit its origin and audience (O2): "peer" carries another agent's message,
 * "callback" another agent's answer, "late" an answer that came after the asking subtask had ended.
 */
export const Synthetic = z.looseObject({
  type: z.enum(["task", "synthesis", "amendment", "wake-up", "peer", "callback", "late"]),
  sessionId: z.string(),
  /** The session starts with this message, so there is no history to read. */
  isFirst: z.literal(true).optional(),
  origin: ReplyOrigin,
  audience: Audience,
  asker: Asker,
  owner: OwnerContext,
  /** The first turn of the work; absent if this message begins it. */
  rootTurnId: z.string().optional(),
  /** No user is waiting, so the turn's own text is dropped if it has delegated work. */
  background: z.boolean(),
  /** Present if agents have passed the work to each other. */
  chain: PeerChain.optional(),
  /** The payload of the type; its source parses it. */
  data: z.record(z.string(), z.unknown()).optional(),
});
export type Synthetic = z.infer<typeof Synthetic>;

/** A reference; the bytes are fetched through the adapter that made it. */
export const Attachment = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  mediaType: z.string(),
  bytes: z.number().int().nonnegative().optional(),
  /** The text content, truncated; absent for binary files. */
  text: z.string().optional(),
});
export type Attachment = z.infer<typeof Attachment>;

/** A user's id on a channel, with the profile that the platform reports. */
export const Account = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
});
export type Account = z.infer<typeof Account>;

export const UserMessage = z.looseObject({
  /** Deterministic: the same platform event gives the same id, so duplicates are recognised. */
  id: z.string().min(1),
  tenant: z.string().min(1),
  agent: z.string().min(1),
  conversation: Conversation,
  account: Account,
  text: z.string(),
  attachments: z.array(Attachment),
  /** The platform's id of the message that this one replies to. */
  replyTo: z.string().optional(),
  /** Present for a command, which travels in order with the messages around it. */
  command: z.looseObject({ name: z.string().min(1), args: z.string() }).optional(),
  /** The platform showed the command only to its sender, so the answer is only for the sender. */
  unseen: z.boolean().optional(),
  /** Present if core wrote the message. */
  synthetic: Synthetic.optional(),
  /** Present if this is not a message but the report of a proactive message shown in the conversation (O15). */
  shown: ShownReply.optional(),
  /** The platform's id of this message. */
  messageId: z.string().optional(),
  /** The platform reports edits of this message. */
  editable: z.boolean().optional(),
  /** Not a new message: the new text of the message with this id. */
  isEdit: z.boolean().optional(),
  /** The permalink of this message, on platforms that have permalinks. */
  link: z.string().optional(),
  sentAt: z.iso.datetime(),
  traceId: z.string().min(1),
});
export type UserMessage = z.infer<typeof UserMessage>;

/** Messages with the same key are handled in order: per conversation, or per session if the session has no conversation. */
export const orderKey = ({ conversation, synthetic }: Pick<UserMessage, "conversation" | "synthetic">): string =>
  synthetic?.owner.ownerType === "orchestrator" ? `session/${synthetic.sessionId}` : conversationKey(conversation);

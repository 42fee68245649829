import { z } from "zod";
import { Conversation, conversationKey } from "./conversation.ts";
import { ShownReply } from "./shown-reply.ts";
import { Synthetic } from "./synthetic.ts";

/** A reference; the bytes are fetched through the adapter that made it. */
export const Attachment = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  mediaType: z.string(),
  bytes: z.number().int().nonnegative().optional(),
  /** What it says, as far as it is text; long ones are cut. */
  text: z.string().optional(),
});
export type Attachment = z.infer<typeof Attachment>;

/** A user's id on a channel, with what the platform tells about them. */
export const Account = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
});
export type Account = z.infer<typeof Account>;

export const UserMessage = z.looseObject({
  /** Deterministic: the same platform event gives the same id, so a repeat is recognised. */
  id: z.string().min(1),
  tenant: z.string().min(1),
  agent: z.string().min(1),
  conversation: Conversation,
  account: Account,
  text: z.string(),
  attachments: z.array(Attachment),
  /** The platform's id of the message this one answers. */
  replyTo: z.string().optional(),
  /** Present for a command, which travels in order with the messages around it. */
  command: z.looseObject({ name: z.string().min(1), args: z.string() }).optional(),
  /** The platform has shown the command to nobody else in the conversation: so is its answer. */
  unseen: z.boolean().optional(),
  /** Present if no person wrote it. Only core makes such messages. */
  synthetic: Synthetic.optional(),
  /** Present if it is no message at all, but the news that something was shown in the conversation (O15). */
  shown: ShownReply.optional(),
  /** The platform's id of this message. */
  messageId: z.string().optional(),
  /** Its platform tells if its words are changed. */
  editable: z.boolean().optional(),
  /** Not a new message: the words of the one with this id are now these. */
  isEdit: z.boolean().optional(),
  /** Where the platform shows this message, if it has permalinks. */
  link: z.string().optional(),
  sentAt: z.iso.datetime(),
  traceId: z.string().min(1),
});
export type UserMessage = z.infer<typeof UserMessage>;

/** Messages of the same key are handled in order: those of a conversation, or of a session that has none of its own. */
export const orderKey = ({ conversation, synthetic }: Pick<UserMessage, "conversation" | "synthetic">): string =>
  synthetic?.owner.ownerType === "orchestrator" ? `session/${synthetic.sessionId}` : conversationKey(conversation);

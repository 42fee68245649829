import { z } from "zod";
import { FileRef } from "../file-ref.ts";
import type { AgentRef } from "./addresses.ts";
import { Conversation, conversationKey } from "./conversation.ts";
import { type PayloadOf, Synthetic, type SyntheticContent, type SyntheticOf, type SyntheticType } from "./synthetic.ts";
import { type DelegationContext, ReplyOrigin, type WorkContext } from "./work-context.ts";

/** A reference; the bytes are fetched through the adapter that made it. */
export const Attachment = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  mediaType: z.string(),
  bytes: z.number().int().nonnegative().optional(),
  /** The text content, truncated. Only messages of 0.1.0 have it. */
  text: z.string().optional(),
  /** The id under which core finds the fetched file; absent if nothing fetches it. */
  file: z.string().min(1).optional(),
  /** The channel has stored the file and counted its bytes in the budget of its sender. */
  counted: z.boolean().optional(),
});
export type Attachment = z.infer<typeof Attachment>;

/** Files of one message that are fetched. */
export const MAX_READ_FILES = 10;

/** A user's id on a channel, with the profile that the platform reports. */
export const Account = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
  /** The channel cannot tell who this is: a visitor without a signed identity. Absent: a member (R1). */
  anonymous: z.boolean().optional(),
  /** The readable name of the device, such as "Chrome on Linux"; only for accounts without an identity. */
  device: z.string().optional(),
});
export type Account = z.infer<typeof Account>;

export const CommandLine = z.object({ name: z.string().min(1), args: z.string() });
export type CommandLine = z.infer<typeof CommandLine>;

/** A proactive message that the conversation has shown; its session adds it to the history (O15). */
export const ShownReply = z.looseObject({
  replyId: z.string().min(1),
  markdown: z.string(),
  origin: ReplyOrigin,
  files: z.array(FileRef).optional(),
  at: z.iso.datetime(),
});
export type ShownReply = z.infer<typeof ShownReply>;

/** Every kind has these: 0.1.0 rejects a message without text and attachments, also if they are empty. */
const common = {
  /** Deterministic: the same platform event gives the same id, so duplicates are recognised. */
  id: z.string().min(1),
  tenant: z.string().min(1),
  agent: z.string().min(1),
  conversation: Conversation,
  account: Account,
  text: z.string(),
  attachments: z.array(Attachment),
  sentAt: z.iso.datetime(),
  traceId: z.string().min(1),
};

const fromPerson = {
  ...common,
  /** The platform's id of the message that this one replies to. */
  replyTo: z.string().optional(),
  /** The platform's id of this message. */
  messageId: z.string().optional(),
  /** The permalink of this message, on platforms that have permalinks. */
  link: z.string().optional(),
};

/** The message that a person's message replies to, as the platform shows it to everyone in the conversation. */
export const QuotedMessage = z.looseObject({
  text: z.string(),
  author: z.string().optional(),
  at: z.iso.datetime().optional(),
  /** The agent wrote it. */
  isOwn: z.boolean().optional(),
});
export type QuotedMessage = z.infer<typeof QuotedMessage>;

/** A person's message to the agent. */
const PersonMessage = z.object({
  kind: z.literal("message"),
  ...fromPerson,
  /** Absent: it replies to none, or its platform does not say what the other one says. An invalid quote counts as absent. */
  quoted: QuotedMessage.optional().catch(undefined),
  /** The platform reports edits of this message. */
  editable: z.boolean().optional(),
  /** The id of an earlier message of the same author, which this one replaces together with all turns after it (C5). */
  revises: z.string().min(1).optional(),
});
export type PersonMessage = z.infer<typeof PersonMessage>;

/** The new text of the message with this id. */
const EditMessage = z.object({ kind: z.literal("edit"), ...fromPerson });
export type EditMessage = z.infer<typeof EditMessage>;

/** A command, also from a button. It travels in order with the messages around it. */
const CommandMessage = z.object({
  kind: z.literal("command"),
  ...fromPerson,
  command: CommandLine,
  /** The platform showed the command only to its sender, so the answer is only for the sender. */
  unseen: z.boolean().optional(),
});
export type CommandMessage = z.infer<typeof CommandMessage>;

/** Reports a proactive message that the conversation shows (O15). It expects no answer. */
const ShownMessage = z.object({ kind: z.literal("shown"), ...common, shown: ShownReply });
export type ShownMessage = z.infer<typeof ShownMessage>;

/** A message that core wrote: it starts a background turn. */
const SyntheticMessage = z.object({
  kind: z.literal("synthetic"),
  ...common,
  /** The permalink of the conversation in which the work began. */
  link: z.string().optional(),
  synthetic: Synthetic,
});
export type SyntheticMessage = z.infer<typeof SyntheticMessage>;

const AnyMessage = z.discriminatedUnion("kind", [
  PersonMessage,
  EditMessage,
  CommandMessage,
  ShownMessage,
  SyntheticMessage,
]);

/** Messages of 0.1.0 have no `kind`; it is derived from their fields. */
const withKind = (wire: unknown): unknown => {
  if (typeof wire !== "object" || wire === null || "kind" in wire) return wire;
  if ("synthetic" in wire) return { ...wire, kind: "synthetic" };
  if ("shown" in wire) return { ...wire, kind: "shown" };
  if ("command" in wire) return { ...wire, kind: "command" };
  return { ...wire, kind: "isEdit" in wire && wire.isEdit === true ? "edit" : "message" };
};

/** A message to an agent. Older processes read it too: they ignore `kind` and check the fields. */
export const UserMessage = z.preprocess(withKind, AnyMessage);
export type UserMessage = z.infer<typeof AnyMessage>;

/** The messages that adapters hand to the inbox. */
export type InboundMessage = PersonMessage | EditMessage | CommandMessage;

/** The messages whose sender waits for the answer. */
export type FromPerson = PersonMessage | CommandMessage;

/** The messages that open a turn. */
export type TurnMessage = FromPerson | SyntheticMessage;

/** A background message of one type, with its payload. */
export type SyntheticMessageOf<T extends SyntheticType> = Omit<SyntheticMessage, "synthetic"> & {
  synthetic: SyntheticOf<T> & { data: PayloadOf<T> };
};

/** The work of a background message; without `rootTurnId` if the message begins it. */
type BackgroundWork = Omit<WorkContext, "standing"> & {
  readonly standing: Pick<DelegationContext, "owner" | "background" | "chain"> & { readonly rootTurnId?: string };
};

type BackgroundContent = SyntheticContent & {
  readonly id: string;
  readonly at: string;
  readonly text?: string;
  readonly isFirst?: true;
};

/** A background message to the session of the work. */
export const syntheticMessage = (
  { tenant, agent }: AgentRef,
  { sessionId, standing: delegationContext, origin, audience, asker, traceId }: BackgroundWork,
  { id, at, text = "", isFirst, ...content }: BackgroundContent,
): SyntheticMessage => ({
  kind: "synthetic",
  id,
  tenant,
  agent,
  conversation: audience.conversation,
  account: { id: asker.accountId, name: asker.name },
  text,
  attachments: [],
  synthetic: {
    ...content,
    sessionId,
    ...(isFirst && { isFirst }),
    origin,
    audience,
    asker,
    owner: delegationContext.owner,
    ...(delegationContext.rootTurnId !== undefined && { rootTurnId: delegationContext.rootTurnId }),
    background: delegationContext.background,
    ...(delegationContext.chain !== undefined && { chain: delegationContext.chain }),
  },
  ...(delegationContext.owner.sessionUri !== undefined && { link: delegationContext.owner.sessionUri }),
  sentAt: at,
  traceId,
});

/** Messages with the same key are handled in order: per conversation, or per session if the session has no conversation. */
export const orderKey = (message: UserMessage): string =>
  message.kind === "synthetic" && message.synthetic.owner.ownerType === "orchestrator"
    ? `session/${message.synthetic.sessionId}`
    : conversationKey(message.conversation);

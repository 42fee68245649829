import { z } from "zod";
import { Conversation } from "./conversation.ts";
import { ReplyCause } from "./reply-cause.ts";
import { ReplyOrigin } from "./reply-origin.ts";

/** Who may see what comes of a piece of work; stored with its origin and inherited with it. */
export const Audience = z.looseObject({
  conversation: Conversation,
  personId: z.string().nullable(),
  /** The asker's account, on the channel of the conversation; absent if no message of a person began the work. */
  accountId: z.string().optional(),
  /** Who asked, if it goes to another account of theirs: seen there only while both are one person's (D3). */
  askedBy: z.looseObject({ channel: z.string(), accountId: z.string() }).optional(),
  /** How often the person's accounts had changed by then; absent: their other accounts never see it (D3). */
  membership: z.number().int().nonnegative().optional(),
});
export type Audience = z.infer<typeof Audience>;

/** Something a person can do about a message; a channel draws it as a button where it can. */
export const ReplyAction = z.looseObject({
  name: z.string().min(1),
  label: z.string(),
  value: z.string().optional(),
});
export type ReplyAction = z.infer<typeof ReplyAction>;

/** What the agent says to people: neutral data that each channel draws in its own form. */
export const AgentReply = z.looseObject({
  /** Deterministic: publishing a step again gives the same id. */
  id: z.string().min(1),
  tenant: z.string().min(1),
  agent: z.string().min(1),
  sessionId: z.string().nullable(),
  kind: z.enum(["final", "progress", "completion", "notice"]),
  markdown: z.string(),
  /** "nothing" ends a wait without a bubble; "failed" marks an explained failure. */
  outcome: z.enum(["answered", "nothing", "failed", "cancelled"]).optional(),
  actions: z.array(ReplyAction).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  /** The id of the message that somebody waits for an answer to. Absent: unsolicited. */
  correlationId: z.string().optional(),
  /** Null only for kind "notice". */
  origin: ReplyOrigin.nullable(),
  /** Of an unsolicited final: what made the agent say it. */
  cause: ReplyCause.optional(),
  audience: Audience,
  /** The account that alone may see it, although the conversation is shared: the answer to a private command (I3). */
  onlyFor: z.string().min(1).optional(),
  /** It may have been published before, longer ago than the bus remembers: a relay looks for an earlier copy. */
  mayRepeat: z.boolean().optional(),
  /** Conversations that would not have it: it goes to the next one that policy and audience allow. */
  refusedIn: z.array(Conversation).optional(),
  createdAt: z.iso.datetime(),
  traceId: z.string().min(1),
});
export type AgentReply = z.infer<typeof AgentReply>;

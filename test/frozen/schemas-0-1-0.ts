import { z } from "zod";
import { AgentReply } from "../../core/contract/messages/agent-reply.ts";
import { Conversation } from "../../core/contract/messages/conversation.ts";
import { Account, Attachment, ShownReply } from "../../core/contract/messages/user-message.ts";
import { Asker, Audience, OwnerContext, PeerChain, ReplyOrigin } from "../../core/contract/messages/work-context.ts";

const Synthetic010 = z.looseObject({
  type: z.enum(["task", "synthesis", "amendment", "wake-up", "peer", "callback", "late"]),
  sessionId: z.string(),
  isFirst: z.literal(true).optional(),
  origin: ReplyOrigin,
  audience: Audience,
  asker: Asker,
  owner: OwnerContext,
  rootTurnId: z.string().optional(),
  background: z.boolean(),
  chain: PeerChain.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});

/** The schema with which 0.1.0 reads a message to an agent: the same schema for every kind. */
export const UserMessage010 = z.looseObject({
  id: z.string().min(1),
  tenant: z.string().min(1),
  agent: z.string().min(1),
  conversation: Conversation,
  account: Account,
  text: z.string(),
  attachments: z.array(Attachment),
  replyTo: z.string().optional(),
  command: z.looseObject({ name: z.string().min(1), args: z.string() }).optional(),
  unseen: z.boolean().optional(),
  synthetic: Synthetic010.optional(),
  shown: ShownReply.optional(),
  messageId: z.string().optional(),
  editable: z.boolean().optional(),
  isEdit: z.boolean().optional(),
  link: z.string().optional(),
  sentAt: z.iso.datetime(),
  traceId: z.string().min(1),
});

const Named = z.object({ id: z.string(), name: z.string() });

/** The schemas with which 0.1.0 reads the payload of each type. */
export const payloads010 = {
  task: z.object({
    schedule: z.looseObject({ owner: z.string(), id: z.string(), run: z.string() }).optional(),
    a2a: z
      .looseObject({ id: z.string(), caller: z.string(), contextId: z.string(), said: Named.omit({ name: true }) })
      .optional(),
  }),
  synthesis: z.object({ subtasks: z.array(Named.extend({ timedOut: z.boolean() })) }),
  amendment: z.object({ subtasks: z.array(Named.extend({ timedOut: z.boolean() })) }),
  "wake-up": z.object({
    type: z.string(),
    priority: z.string().optional(),
    subtask: z.string(),
    name: z.string(),
    content: z.string(),
  }),
  peer: z.object({ mode: z.string() }),
  callback: z.object({ call: z.string(), peer: z.string(), name: z.string(), round: z.int().optional() }),
  late: z.object({
    calls: z.array(
      Named.extend({
        kind: z.enum(["result", "error", "input-required"]),
        key: z.string(),
        isKept: z.boolean(),
        words: z.string().optional(),
        peer: z.string(),
        subtask: z.string().optional(),
      }),
    ),
  }),
};

/** The schema with which 0.1.0 reads a delivery request: flags tell the kinds apart. */
export const DeliveryRequest010 = z.looseObject({
  id: z.string().min(1),
  reply: AgentReply,
  target: Conversation,
  holdUntil: z.number().optional(),
  byHand: z.boolean().optional(),
  digestDue: z.boolean().optional(),
  begins: z.boolean().optional(),
});

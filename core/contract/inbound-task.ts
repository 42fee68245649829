import { z } from "zod";

/** The channel of work that another agent began: nobody's conversation, so nothing of it is delivered to people. */
export const INBOUND_CHANNEL = "a2a-inbound";

/** Where the task of a calling agent is kept: by its caller, so that nobody else's can be named. */
export const InboundTaskAddress = z.looseObject({
  tenant: z.string(),
  agent: z.string(),
  caller: z.string(),
  id: z.string(),
});
export type InboundTaskAddress = z.infer<typeof InboundTaskAddress>;

/** A change of a task is to be told to one of its webhooks. */
export const PushDue = InboundTaskAddress.extend({
  webhook: z.string(),
  /** Which change of the task's status it tells of. */
  change: z.int(),
});
export type PushDue = z.infer<typeof PushDue>;

/** Comes back to its handler until the conversation that the notices are for is quiet. */
export const NoticesDue = z.looseObject({ tenant: z.string(), agent: z.string() });
export type NoticesDue = z.infer<typeof NoticesDue>;

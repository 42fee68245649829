import { z } from "zod";

/** Where a piece of work began. Channels besides real ones: "scheduled" and "a2a-inbound". */
export const ReplyOrigin = z.looseObject({
  channel: z.string().min(1),
  promptSummary: z.string(),
  startedAt: z.iso.datetime(),
  sessionId: z.string().nullable(),
  taskId: z.string().optional(),
  link: z.string().optional(),
  /** The platform's id of the message it began with: where there is no link, one may be made of it. */
  messageId: z.string().optional(),
  /** A person set it for this very time: quiet hours do not hold its answer (D2). */
  isReminder: z.boolean().optional(),
});
export type ReplyOrigin = z.infer<typeof ReplyOrigin>;

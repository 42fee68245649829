import { z } from "zod";
import { ReplyOrigin } from "../contract/reply-origin.ts";

/** Work that a message goes on with by answering what came of it, and how much of where it began may be read (O14). */
export const ContinuedWork = z.looseObject({
  replyId: z.string(),
  origin: ReplyOrigin,
  /** If the message that is answered shows several: how people see it numbered there. */
  number: z.int().optional(),
  /** The session in which it was done. */
  sessionId: z.string().nullable(),
  /** The turns it began with and was answered in: all that may be read, unless it is "all". */
  turns: z.union([z.literal("all"), z.array(z.string())]),
});
export type ContinuedWork = z.infer<typeof ContinuedWork>;

import { z } from "zod";
import { Conversation } from "./conversation.ts";

/** Not stored, may be lost: everything in here is a hint that makes a screen livelier. */
export const UserSignal = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("delta"),
    conversation: Conversation,
    correlationId: z.string(),
    /** Of the reply that the text will end in, and of the account that waits for it. */
    replyId: z.string().optional(),
    accountId: z.string().optional(),
    /** Grows when a step is run again: text of an older attempt is thrown away. */
    attempt: z.number().int(),
    offset: z.number().int(),
    text: z.string(),
  }),
  z.looseObject({ type: z.literal("typing"), conversation: Conversation }),
  z.looseObject({ type: z.literal("logged"), conversation: Conversation, seq: z.number().int() }),
]);
export type UserSignal = z.infer<typeof UserSignal>;

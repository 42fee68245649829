import { z } from "zod";
import { ReplyOrigin } from "./reply-origin.ts";

/** Something the agent said in a conversation without being asked there, as its session is told of it (O15). */
export const ShownReply = z.looseObject({
  replyId: z.string().min(1),
  markdown: z.string(),
  origin: ReplyOrigin,
  at: z.iso.datetime(),
});
export type ShownReply = z.infer<typeof ShownReply>;

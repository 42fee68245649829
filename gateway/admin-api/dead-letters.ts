import { z } from "zod";
import { AgentPageQuery, type ConversationAddress, type Origin, type Page } from "./shapes.ts";

export type DeadLetter =
  | {
      readonly ref: string;
      readonly kind: "delivery";
      readonly tenant: string;
      readonly channel: string;
      readonly conversation: ConversationAddress;
      readonly origin: Origin | null;
      /** Identifies its trace. */
      readonly replyId?: string;
      readonly reason: string;
      readonly deadAt: string;
    }
  | {
      readonly ref: string;
      readonly kind: "message";
      readonly queue: string;
      readonly subject: string;
      readonly id: string;
      readonly reason: string;
      readonly attempts: number;
      readonly deadAt: string;
    };

export const deadLetterRequests = {
  "GET dead-letters": AgentPageQuery.extend({
    kind: z.enum(["delivery", "message"]).default("delivery"),
    channel: z.string().optional(),
  }),
};

export interface DeadLetterAnswers {
  "GET dead-letters": Page<DeadLetter>;
  "POST dead-letters/:ref/retry": { readonly done: true };
  "POST dead-letters/:ref/dismiss": { readonly done: true };
}

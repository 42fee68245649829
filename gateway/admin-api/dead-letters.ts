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
  "POST dead-letters/settle": z.strictObject({
    action: z.enum(["retry", "dismiss"]),
    refs: z.array(z.string().min(1)).min(1).max(200),
  }),
};

export interface DeadLetterAnswers {
  "GET dead-letters": Page<DeadLetter>;
  "POST dead-letters/settle": {
    readonly done: number;
    readonly failed: readonly { readonly ref: string; readonly code: string; readonly message: string }[];
  };
  "POST dead-letters/:ref/retry": { readonly done: true };
  "POST dead-letters/:ref/dismiss": { readonly done: true };
}

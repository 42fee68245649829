import { z } from "zod";
import { secret } from "../../core/contract/secret.ts";

/** The operator's own check of messages and answers. */
export const ModerationConfig = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: "must be an http or https address" })
      .optional()
      .describe("Address that gets each text as JSON and answers { allow, reason }. It may be private."),
    token: secret().optional().describe("Sent to the address as Authorization: Bearer <token>."),
    module: z
      .string()
      .min(1)
      .optional()
      .describe("Module instead of an address, relative to this file; its default export is the check."),
    messages: z.boolean().default(true).describe("Checks messages of people and of calling agents before the model."),
    answers: z
      .boolean()
      .default(true)
      .describe("Checks answers before people see them. Answers are then not streamed."),
    timeoutMs: z
      .int()
      .min(100)
      .max(60_000)
      .default(5_000)
      .describe("A check that takes longer has failed, in milliseconds."),
    onFailure: z
      .enum(["refuse", "allow"])
      .default("refuse")
      .describe("The decision if a check fails: refuse the text, or allow it unchecked."),
  })
  .refine(({ url, module }) => (url === undefined) !== (module === undefined), "needs a url or a module, and not both")
  .refine(({ url, token }) => token === undefined || url !== undefined, {
    path: ["token"],
    error: "is only sent to a url: remove it",
  });

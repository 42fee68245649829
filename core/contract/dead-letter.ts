import { z } from "zod";
import { collection, keyOf, prefixOf } from "./collection.ts";

/** A message that no handler could end. It is kept until somebody retries or dismisses it. */
export const DeadLetter = z.looseObject({
  subject: z.string(),
  durable: z.string(),
  id: z.string(),
  key: z.string().optional(),
  /** The message as it was stored; text if it is no JSON. */
  message: z.unknown(),
  reason: z.string(),
  attempts: z.number().int(),
  publishedAt: z.iso.datetime(),
  deadAt: z.iso.datetime(),
});
export type DeadLetter = z.infer<typeof DeadLetter>;

const deadLetters = collection("dead-letters", DeadLetter);

export const deadLetterKey = (durable: string, messageId: string) => keyOf(deadLetters, durable, messageId);
export const allDeadLetters = (durable?: string) =>
  durable === undefined ? prefixOf(deadLetters) : prefixOf(deadLetters, durable);

import { z } from "zod";
import { RETENTION_MS } from "../contract/bus.ts";
import { collection, keyOf } from "../contract/collection.ts";

/** How often a message was run that may have been run before. A message that ends in its first run has no record. */
export const AttemptRecord = z.looseObject({
  attempts: z.number().int(),
  /** Runs in a row that ended without an outcome: a throw, or the death of the process. */
  failures: z.number().int(),
  lastError: z.string().optional(),
});
export type AttemptRecord = z.infer<typeof AttemptRecord>;

const attempts = collection("bus-attempts", AttemptRecord, { ttlMs: RETENTION_MS });

export const attemptKey = (durable: string, subject: string, messageId: string) =>
  keyOf(attempts, durable, subject, messageId);

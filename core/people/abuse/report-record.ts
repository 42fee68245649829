import { z } from "zod";
import { collection, keyOf, prefixOf } from "../../contract/ports/store.ts";
import { newestFirst } from "../../contract/ports/token.ts";

/** A message that a person has reported to the operators. */
export const Report = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  agent: z.string(),
  reporter: z.looseObject({ channel: z.string(), accountId: z.string(), name: z.string(), personId: z.string() }),
  /** The reported reply. */
  replyId: z.string(),
  /** The session whose history has the message. */
  sessionId: z.string(),
  at: z.iso.datetime(),
  /** The reporter's own words about it. */
  reason: z.string().optional(),
  /** The text of the message, if the reporter chose to include it (R4). */
  text: z.string().optional(),
});
export type Report = z.infer<typeof Report>;

const TTL_MS = 90 * 24 * 3_600_000;
const reports = collection("reports", Report, { ttlMs: TTL_MS });

export const reportKey = (tenant: string, id: string) => keyOf(reports, tenant, id);
export const reportsOf = (tenant: string) => prefixOf(reports, tenant);

/** Sorts the newest first; the same command and message always have the same id. */
export const reportId = (at: number, turnId: string): string => `${newestFirst(at)}-${turnId}`;

import { z } from "zod";
import { collection, keyOf, prefixOf } from "../../core/contract/collection.ts";
import { newestFirst } from "../../core/contract/newest-first.ts";

/** Something that an operator has done, or has begun to do. */
export const AuditEntry = z.looseObject({
  id: z.string(),
  at: z.iso.datetime(),
  operator: z.looseObject({ role: z.string(), tenant: z.string().optional(), token: z.string() }),
  /** The route, without what it was called with. */
  action: z.string(),
  target: z.record(z.string(), z.string()),
  /** Whose it is; absent: nobody's in particular, or it is not known because it broke off. */
  tenant: z.string().optional(),
  /** Absent: how it ended is not known. */
  status: z.number().int().optional(),
  detail: z.record(z.string(), z.unknown()).optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

const KEPT_MS = 400 * 24 * 3_600_000;
const entries = collection("audit", AuditEntry, { ttlMs: KEPT_MS });

/** The newest first. */
export const auditId = (at: number, requestId: string): string => `${newestFirst(at)}-${requestId}`;
export const auditKey = (id: string) => keyOf(entries, id);
export const allAudit = () => prefixOf(entries);

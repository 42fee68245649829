import { z } from "zod";
import { type Page, PageQuery } from "./shapes.ts";

/** A change by an operator, finished or not, as it is stored and listed. */
export const AuditEntry = z.looseObject({
  id: z.string(),
  at: z.iso.datetime(),
  operator: z.looseObject({ role: z.string(), tenant: z.string().optional(), token: z.string() }),
  /** Method and route pattern, without parameters. */
  action: z.string(),
  target: z.record(z.string(), z.string()),
  /** The tenant concerned; absent if there is none, or if the request was interrupted before it was known. */
  tenant: z.string().optional(),
  /** The HTTP status; absent if the outcome is unknown. */
  status: z.number().int().optional(),
  detail: z.record(z.string(), z.unknown()).optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const auditRequests = { "GET audit": PageQuery };

export interface AuditAnswers {
  "GET audit": Page<AuditEntry>;
}

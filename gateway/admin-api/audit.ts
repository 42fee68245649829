import { type Page, PageQuery } from "./shapes.ts";

/** A change by an operator. */
export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly operator: { readonly role: string; readonly tenant?: string | undefined; readonly token: string };
  /** Method and route pattern, without parameters. */
  readonly action: string;
  readonly target: Readonly<Record<string, string>>;
  readonly tenant?: string | undefined;
  /** The HTTP status; absent if the outcome is unknown. */
  readonly status?: number | undefined;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

export const auditRequests = { "GET audit": PageQuery };

export interface AuditAnswers {
  "GET audit": Page<AuditEntry>;
}

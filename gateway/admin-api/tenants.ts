import { z } from "zod";

/** The calling operator, and the tenants and agents that they may manage. */
export interface Me {
  readonly role: "platform_admin" | "org_admin";
  readonly tenant?: string;
  readonly version: string;
  readonly tenants: readonly string[];
  readonly agents: readonly { readonly name: string; readonly tenant: string }[];
}

export interface Tenant {
  readonly id: string;
  readonly a2aAsync: boolean;
}

/** The result of a reload: paths of settings and names of parts, never values. */
interface Reloaded {
  /** The changed settings that are in force now. */
  readonly applied: readonly string[];
  /** The parts of the process that were restarted for them. */
  readonly restarted: readonly string[];
  /** The changed settings that need a restart of the process. */
  readonly needsRestart: readonly string[];
}

export const tenantRequests = {
  "PATCH tenants/:id": z.strictObject({
    a2aAsync: z.boolean(),
    confirm: z.boolean().default(false).describe("The operator has read the consequences of turning it on."),
  }),
};

export interface TenantAnswers {
  "GET me": Me;
  "GET tenants": { readonly items: readonly Tenant[] };
  "GET tenants/:id": Tenant;
  "PATCH tenants/:id": Tenant;
  "POST configuration/reload": Reloaded;
}

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

/** A setting in force, and how it can change. */
interface ConfiguredSetting {
  /** Such as `agents[0].maxToolRounds`. */
  readonly path: string;
  /** Names the setting in a change; empty if it cannot be changed here. */
  readonly keys: readonly (string | number)[];
  /** Secrets, and values that may contain one, are masked; long texts are cut. */
  readonly value: string | number | boolean | null;
  /** "file", "default", or the reference in the file, such as `${OPENAI_API_KEY}`; "earlier …": the file has another value now. */
  readonly source: string;
  /** The effect of a change. "process": only a restart of the process applies it. */
  readonly effect: "now" | "models" | "agents" | "channel" | "channel-and-agents" | "everything" | "process";
  /** The console can change it: numbers, and the level of the log. */
  readonly canChange: boolean;
}

/** The configuration of the process that answers. */
interface Configuration {
  readonly file: string;
  readonly instance: string;
  /** Of the file; a change must name it. Absent if the file is not valid. */
  readonly digest?: string;
  readonly settings: readonly ConfiguredSetting[];
  /** Changes in the file that are not in force: a reload applies some, the others need a restart. */
  readonly pending: { readonly applied: readonly string[]; readonly needsRestart: readonly string[] };
  /** Why the file is not valid, by line. */
  readonly problems: readonly { readonly path: string; readonly line?: number; readonly message: string }[];
}

export const tenantRequests = {
  "POST configuration/settings": z.strictObject({
    keys: z
      .array(z.union([z.string().max(200), z.int().min(0)]))
      .min(1)
      .max(20),
    value: z.union([z.number(), z.string().max(200)]),
    digest: z.string().max(100),
  }),
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
  "GET configuration": Configuration;
  "POST configuration/settings": Reloaded;
  "POST configuration/reload": Reloaded;
}

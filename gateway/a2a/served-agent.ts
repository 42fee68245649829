import type { SkillConfig } from "../../core/a2a/index.ts";

/** An agent that others may call. */
export interface ServedAgent {
  readonly name: string;
  readonly tenant: string;
  readonly description?: string | undefined;
  readonly skills: readonly SkillConfig[];
}

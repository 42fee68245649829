import { Rights } from "../../../core/rights/index.ts";
import type { Agent } from "../../../core/turns/index.ts";

/** An agent as far as its schedules need one. */
export const scheduledAgent = (name: string): Agent =>
  ({ name, tenant: "default", rights: new Rights(), pauseSchedulesAfterDays: 30 }) as Agent;

import type { Config } from "../config/config.ts";
import { AppError } from "../core/contract/app-error.ts";

/** A channel belongs to one agent, and so to its tenant. */
export const tenantOf = ({ agents }: Config, agent: string): string => {
  const found = agents.find(({ name }) => name === agent);
  if (found === undefined) throw new AppError("bad-configuration", `agents: there is none called "${agent}"`);
  return found.tenant;
};

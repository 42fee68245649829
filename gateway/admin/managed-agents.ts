import type { Config } from "../../config/config.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { mayManage } from "./operator.ts";
import type { AdminRequest } from "./visit.ts";
import { mayUse, operatorOf } from "./visit.ts";

export interface ManagedAgent {
  readonly agent: string;
  readonly tenant: string;
}

/** The agents that the operator may manage; with a name, that one. */
export const managedAgents = (
  { agents }: Pick<Config, "agents">,
  request: AdminRequest,
  wanted?: string,
): ManagedAgent[] => {
  if (wanted !== undefined) return [managedAgent({ agents }, request, wanted)];
  return agents
    .filter(({ tenant }) => mayManage(operatorOf(request), tenant))
    .map(({ name, tenant }) => ({ agent: name, tenant }));
};

export const managedAgent = (
  { agents }: Pick<Config, "agents">,
  request: AdminRequest,
  wanted: string,
): ManagedAgent => {
  const found = agents.find(({ name }) => name === wanted);
  if (found === undefined || !mayUse(request, found.tenant)) {
    throw new AppError("not-found", `there is no agent "${wanted.slice(0, 60)}" that you may manage`);
  }
  return { agent: found.name, tenant: found.tenant };
};

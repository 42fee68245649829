import type { Config } from "../../config/index.ts";
import { AppError } from "../../core/contract/app-error.ts";
import type { AgentRef } from "../../core/contract/messages/addresses.ts";
import { type AdminRequest, mayUse, operatorOf } from "./admin-request.ts";
import { mayManage } from "./operator.ts";

/** The tenants that the operator may manage. */
export const managedTenants = ({ tenants }: Pick<Config, "tenants">, request: AdminRequest): string[] =>
  Object.keys(tenants).filter((tenant) => mayManage(operatorOf(request), tenant));

export const managedTenant = (
  { tenants }: Pick<Config, "tenants">,
  request: AdminRequest,
  requested: string,
): string => {
  if (!Object.hasOwn(tenants, requested) || !mayUse(request, requested)) throw notManaged("tenant", requested);
  return requested;
};

/** The agents that the operator may manage, or only the requested one. */
export const managedAgents = (
  { agents }: Pick<Config, "agents">,
  request: AdminRequest,
  requested?: string,
): AgentRef[] => {
  if (requested !== undefined) return [managedAgent({ agents }, request, requested)];
  return agents
    .filter(({ tenant }) => mayManage(operatorOf(request), tenant))
    .map(({ name, tenant }) => ({ agent: name, tenant }));
};

export const managedAgent = (
  { agents }: Pick<Config, "agents">,
  request: AdminRequest,
  requested: string,
): AgentRef => {
  const found = agents.find(({ name }) => name === requested);
  if (found === undefined || !mayUse(request, found.tenant)) throw notManaged("agent", requested);
  return { agent: found.name, tenant: found.tenant };
};

export interface ManagedChannel {
  readonly channel: string;
  readonly adapter: string;
  readonly agent: string;
  readonly tenant: string;
}

type AgentsAndChannels = Pick<Config, "agents" | "channels">;

/** The channels of agents that the operator may manage, or only the requested ones. */
export const managedChannels = (
  config: AgentsAndChannels,
  request: AdminRequest,
  requested: { channel?: string | undefined; agent?: string | undefined } = {},
): ManagedChannel[] => {
  if (requested.channel !== undefined) return [managedChannel(config, request, requested.channel)];
  const agents = managedAgents(config, request, requested.agent);
  return channelsOf(config).filter((channel) => agents.some(({ agent }) => agent === channel.agent));
};

export const managedChannel = (config: AgentsAndChannels, request: AdminRequest, requested: string): ManagedChannel => {
  const found = channelsOf(config).find(({ channel }) => channel === requested);
  if (found === undefined || !mayUse(request, found.tenant)) throw notManaged("channel", requested);
  return found;
};

const channelsOf = ({ agents, channels }: AgentsAndChannels): ManagedChannel[] =>
  Object.entries(channels).map(([channel, { adapter, agent }]) => {
    const tenant = agents.find(({ name }) => name === agent)?.tenant ?? "";
    return { channel, adapter, agent, tenant };
  });

const notManaged = (kind: "tenant" | "agent" | "channel", name: string): AppError =>
  new AppError("not-found", `there is no ${kind} "${name.slice(0, 60)}" that you may manage`);

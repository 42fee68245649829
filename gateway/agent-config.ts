import type { Config } from "../config/index.ts";
import type { InboundOptions } from "../core/a2a/inbound/index.ts";
import { AppError } from "../core/contract/app-error.ts";
import type { Destination, Home } from "../core/delivery/index.ts";
import type { DeclaredPerson } from "../core/people/index.ts";
import type { ConfiguredSchedule, ScheduleConfig } from "../core/schedules/index.ts";

/** Resolves the targets of an agent's schedules to accounts and conversations. */
export const configuredSchedules = (
  config: Pick<Config, "people">,
  schedules: readonly ScheduleConfig[],
  home: Home | undefined,
): ConfiguredSchedule[] =>
  schedules.flatMap(({ deliverTo = home, ...schedule }) =>
    // The configuration's validation rejects a schedule without a target.
    deliverTo === undefined ? [] : [{ ...schedule, destination: destinationOf(config, deliverTo) }],
  );

export const destinationOf = ({ people }: Pick<Config, "people">, place: Home): Destination => {
  if (!("person" in place)) return { conversation: { ...place, kind: "shared" } };
  const accounts = people.find(({ name }) => name === place.person)?.accounts ?? {};
  return { person: Object.entries(accounts).map(([channel, accountId]) => ({ channel, accountId })) };
};

/** The agent's home and channels, from the configuration. */
interface AgentPlaces {
  readonly home: Destination | undefined;
  readonly hasChannel: (channel: string) => boolean;
}

export const agentPlaces = (config: Pick<Config, "agents" | "people" | "channels">, agent: string): AgentPlaces => {
  const home = config.agents.find(({ name }) => name === agent)?.home;
  return {
    home: home && destinationOf(config, home),
    hasChannel: (channel) => config.channels[channel]?.agent === agent,
  };
};

type Called = Pick<Config["agents"][number], "name" | "tenant" | "skills">;

/** The options for inbound A2A calls; undefined if no caller may call the agent. */
export const inboundOptions = (
  { a2a, people }: Pick<Config, "a2a" | "people">,
  agent: Called,
  home: Home | undefined,
): InboundOptions | undefined => {
  if (!isCalled(a2a, agent)) return undefined;
  return {
    ...(home !== undefined && { notices: { home: destinationOf({ people }, home), idleMs: a2a.idleMs } }),
    noticeSkills: agent.skills.filter(({ tellPeople }) => tellPeople).map(({ id }) => id),
  };
};

/** Whether any caller may call the agent. */
export const isCalled = ({ callers }: Config["a2a"], { name, tenant }: Pick<Called, "name" | "tenant">): boolean =>
  Object.values(callers).some((caller) => caller.tenant === tenant && (caller.agents?.includes(name) ?? true));

/** The configured people, one per tenant: a person with accounts in two tenants counts as two. */
export const declaredPeople = (config: Config): DeclaredPerson[] =>
  config.people.flatMap(({ name, accounts }) => {
    const placed = Object.entries(accounts).map(([channel, accountId]) => ({
      tenant: tenantOf(config, config.channels[channel]?.agent ?? ""),
      channel,
      accountId,
    }));
    return [...new Set(placed.map(({ tenant }) => tenant))].map((tenant) => ({
      tenant,
      name,
      accounts: placed.filter((account) => account.tenant === tenant),
    }));
  });

/** The tenant of an agent, and so of its channels. */
export const tenantOf = ({ agents }: Config, agent: string): string => {
  const found = agents.find(({ name }) => name === agent);
  if (found === undefined) throw new AppError("bad-configuration", `agents: no agent has the name "${agent}"`);
  return found.tenant;
};

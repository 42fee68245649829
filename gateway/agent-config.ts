import type { Config } from "../config/index.ts";
import type { InboundOptions } from "../core/a2a/inbound/index.ts";
import { AppError } from "../core/contract/app-error.ts";
import type { Destination, Home } from "../core/delivery/index.ts";
import type { DeclaredPerson } from "../core/people/index.ts";
import type { ConfiguredSchedule, ScheduleConfig } from "../core/schedules/index.ts";

/** The schedules of an agent as its core takes them: their targets by account and conversation, not by name. */
export const configuredSchedules = (
  config: Pick<Config, "people">,
  schedules: readonly ScheduleConfig[],
  home: Home | undefined,
): ConfiguredSchedule[] =>
  schedules.flatMap(({ deliverTo = home, ...schedule }) =>
    // The check of the configuration has refused one that goes nowhere.
    deliverTo === undefined ? [] : [{ ...schedule, destination: destinationOf(config, deliverTo) }],
  );

export const destinationOf = ({ people }: Pick<Config, "people">, place: Home): Destination => {
  if (!("person" in place)) return { conversation: { ...place, kind: "shared" } };
  const accounts = people.find(({ name }) => name === place.person)?.accounts ?? {};
  return { person: Object.entries(accounts).map(([channel, accountId]) => ({ channel, accountId })) };
};

/** Where an agent can be reached and can reach people, as the configuration has it. */
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

type Called = Pick<Config["agents"][number], "name" | "skills">;

/** The options for inbound A2A calls; undefined if no caller may call the agent. */
export const inboundOptions = (
  { a2a, people }: Pick<Config, "a2a" | "people">,
  { name, skills }: Called,
  home: Home | undefined,
): InboundOptions | undefined => {
  if (!isCalled(a2a, name)) return undefined;
  return {
    ...(home !== undefined && { notices: { home: destinationOf({ people }, home), idleMs: a2a.idleMs } }),
    toldSkills: skills.filter(({ tellPeople }) => tellPeople).map(({ id }) => id),
  };
};

/** Whether any caller may call the agent. */
export const isCalled = ({ callers }: Config["a2a"], agent: string): boolean =>
  Object.values(callers).some(({ agents }) => agents?.includes(agent) ?? true);

/** The people of the configuration. A person is one within a tenant: accounts in two of them make two people. */
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

/** A channel belongs to one agent, and so to its tenant. */
export const tenantOf = ({ agents }: Config, agent: string): string => {
  const found = agents.find(({ name }) => name === agent);
  if (found === undefined) throw new AppError("bad-configuration", `agents: there is none called "${agent}"`);
  return found.tenant;
};

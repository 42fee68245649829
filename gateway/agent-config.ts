import type { Config } from "../config/index.ts";
import { type InboundOptions, placeOfCaller, placeOfSkill } from "../core/a2a/inbound/index.ts";
import { type BudgetRules, withDefaults } from "../core/budgets/index.ts";
import { AppError } from "../core/contract/app-error.ts";
import type { Destination, Home } from "../core/delivery/index.ts";
import type { DeclaredPerson } from "../core/people/index.ts";
import type { Groups } from "../core/rights/index.ts";
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

export const destinationOf = ({ people }: Pick<Config, "people">, home: Home): Destination => {
  if (!("person" in home)) return { conversation: { ...home, kind: "shared" } };
  const accounts = people.find(({ name }) => name === home.person)?.accounts ?? {};
  return { person: Object.entries(accounts).map(([channel, accountId]) => ({ channel, accountId })) };
};

/** The agent's home and channels, from the configuration. */
interface HomeAndChannels {
  readonly home: Destination | undefined;
  readonly hasChannel: (channel: string) => boolean;
}

export const homeAndChannelsOf = (
  config: Pick<Config, "agents" | "people" | "channels">,
  agent: string,
): HomeAndChannels => {
  const home = config.agents.find(({ name }) => name === agent)?.home;
  return {
    home: home && destinationOf(config, home),
    hasChannel: (channel) => config.channels[channel]?.agent === agent,
  };
};

/** The budgets of an agent and its tenant. Anonymous visitors have limits even if the configuration has none. */
export const budgetRules = (
  { tenants, prices }: Pick<Config, "tenants" | "prices">,
  { tenant, budgets }: Pick<Config["agents"][number], "tenant" | "budgets">,
): BudgetRules => ({ ofAgent: withDefaults(budgets), ofTenant: tenants[tenant]?.budgets, prices });

type Called = Pick<Config["agents"][number], "name" | "tenant" | "skills">;

/** The options for inbound A2A calls; undefined if no caller may call the agent. */
export const inboundOptions = (
  { a2a, people }: Pick<Config, "a2a" | "people">,
  agent: Called,
  home: Home | undefined,
): InboundOptions | undefined => {
  if (!isCalled(a2a, agent)) return undefined;
  const places = {
    ...placesOf(people, Object.entries(a2a.callers), ([name, { deliverTo }]) => [placeOfCaller(name), deliverTo]),
    ...placesOf(people, agent.skills, ({ id, deliverTo }) => [placeOfSkill(id), deliverTo]),
  };
  const target = home && destinationOf({ people }, home);
  const hasPlace = target !== undefined || Object.keys(places).length > 0;
  return {
    ...(hasPlace && { notices: { home: target, places, idleMs: a2a.idleMs } }),
    noticeSkills: agent.skills.filter(({ tellPeople }) => tellPeople).map(({ id }) => id),
  };
};

const placesOf = <T>(
  people: Config["people"],
  items: readonly T[],
  placeOf: (item: T) => readonly [string, Home | undefined],
): Record<string, Destination> =>
  Object.fromEntries(
    items.map(placeOf).flatMap(([place, target]) => (target ? [[place, destinationOf({ people }, target)]] : [])),
  );

/** Whether any caller may call the agent. */
export const isCalled = ({ callers }: Config["a2a"], { name, tenant }: Pick<Called, "name" | "tenant">): boolean =>
  Object.values(callers).some((caller) => caller.tenant === tenant && (caller.agents?.includes(name) ?? true));

/** The configured people, one per tenant: a person with accounts in two tenants counts as two. */
export const declaredPeople = (config: Config): DeclaredPerson[] =>
  config.people.flatMap(({ name, accounts }) => {
    const accountsOnChannels = Object.entries(accounts).map(([channel, accountId]) => ({
      tenant: tenantOf(config, config.channels[channel]?.agent ?? ""),
      channel,
      accountId,
      ...ownerSurface(config, channel, accountId),
    }));
    return [...new Set(accountsOnChannels.map(({ tenant }) => tenant))].map((tenant) => ({
      tenant,
      name,
      accounts: accountsOnChannels.filter((account) => account.tenant === tenant),
    }));
  });

/** The owner's conversation on a channel that recognises them by the owner secret: it exists before they write there. */
const ownerSurface = (
  config: Config,
  channel: string,
  accountId: string,
): Pick<DeclaredPerson["accounts"][number], "surface"> => {
  const { agent = "", adapter = "" } = config.channels[channel] ?? {};
  if (config.owner === undefined || config.adapters.get(adapter)?.definition.ownerAccount !== accountId) return {};
  return { surface: { agent, conversation: { channel, room: accountId, kind: "private" } } };
};

/** The accounts of each group: those that it names, and all accounts of the people whom it names. */
export const groupAccounts = ({ groups, people }: Pick<Config, "groups" | "people">): Groups =>
  Object.fromEntries(
    Object.entries(groups).map(([group, members]) => [group, members.flatMap((member) => accountsOf(people, member))]),
  );

const accountsOf = (people: Config["people"], member: string): string[] => {
  const person = people.find(({ name }) => name === member);
  return person ? Object.entries(person.accounts).map(([channel, account]) => `${channel}:${account}`) : [member];
};

/** The tenant of an agent, and so of its channels. */
export const tenantOf = ({ agents }: Config, agent: string): string => {
  const found = agents.find(({ name }) => name === agent);
  if (found === undefined) throw new AppError("bad-configuration", `agents: no agent has the name "${agent}"`);
  return found.tenant;
};

import type { Config } from "../config/config.ts";
import type { Destination, Home } from "../core/delivery/index.ts";
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

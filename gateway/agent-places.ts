import type { Config } from "../config/config.ts";
import type { Destination } from "../core/delivery/index.ts";
import { destinationOf } from "./configured-schedules.ts";

/** Where an agent can be reached and can reach people, as the configuration has it. */
export interface AgentPlaces {
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

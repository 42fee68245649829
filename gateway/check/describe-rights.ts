import type { Config } from "../../config/index.ts";
import { DEFAULT_RIGHTS, OPERATOR, Rights } from "../../core/rights/index.ts";
import { groupAccounts, isCalled } from "../agent-config.ts";
import { speakersOn } from "../foreign/index.ts";

type Agent = Config["agents"][number];

/** The rights with one agent, a row for each speaker: the class or name, and what it may do (R1). */
export const describeRights = (config: Config, agent: Agent): [speaker: string, rights: string][] => {
  const rights = new Rights(agent.rights, groupAccounts(config));
  const speakers = [...new Set([...Object.keys(DEFAULT_RIGHTS), ...Object.keys(agent.rights)])];
  return speakers.flatMap((speaker): [string, string][] => {
    const people = peopleIn(config, agent, speaker);
    return people === undefined ? [] : [[speaker, `${["talk", ...rights.grantsOf(speaker)].join(", ")} (${people})`]];
  });
};

/** A description of the speakers that the row applies to; undefined if there can be none. */
const peopleIn = (config: Config, agent: Agent, speaker: string): string | undefined => {
  if (speaker === "anonymous" || speaker === "member") {
    const channels = channelsWith(config, agent, speaker);
    return channels.length === 0 ? undefined : `on ${channels.join(", ")}`;
  }
  if (speaker === OPERATOR) return `${namesOf(config.groups[OPERATOR])}, and configured schedules`;
  if (speaker.startsWith("group:")) return `${namesOf(config.groups[speaker.slice("group:".length)])}, in addition`;
  if (speaker === "peer") return isCalled(config.a2a, agent) || agent.peers.length > 0 ? "other agents" : undefined;
  return speaker.startsWith("peer:") ? "instead of peer" : "in addition";
};

const namesOf = (members: readonly string[] = []): string => members.join(", ") || "no account";

const channelsWith = ({ adapters, channels }: Config, agent: Agent, speaker: "anonymous" | "member"): string[] =>
  Object.entries(channels)
    .filter(([, channel]) => channel.agent === agent.name)
    .filter(([, channel]) => speakersOn(adapters, channel).includes(speaker))
    .map(([name]) => name);

/** An agent with a repository that no speaker may use. */
export const hasUnusableWorkspace = (config: Config, agent: Agent): boolean => {
  if (agent.workspace === undefined) return false;
  const rights = new Rights(agent.rights, groupAccounts(config));
  return !Object.keys(agent.rights).some((speaker) => rights.grantsOf(speaker).includes("workspace"));
};

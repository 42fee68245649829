import type { Config } from "../../config/index.ts";
import type { Finding } from "./finding.ts";

/** Agents with several channels on which no person is known twice: answers stay on one channel until people link (I1). */
export const unlinkedChannels = ({ agents, channels, people }: Config): Finding[] =>
  agents.flatMap(({ name }) => {
    const own = Object.keys(channels).filter((channel) => channels[channel]?.agent === name);
    const isSeenTwice = people.some(({ accounts }) => own.filter((channel) => channel in accounts).length > 1);
    if (own.length < 2 || isSeenTwice) return [];
    const text =
      `no person is known on two of ${own.join(", ")}, so answers stay where they were asked for: ` +
      "set owner if it is yours alone, declare people, or let each person link their accounts with /link " +
      "(docs/people.md, docs/personal-mode.md)";
    return [{ verdict: "note", subject: `people of ${name}`, text }];
  });

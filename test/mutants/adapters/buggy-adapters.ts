import { discordBugs } from "./discord-bugs.ts";
import { type BuggyAdapter, bugId, type PlantedBug } from "./planted-bug.ts";
import { slackBugs } from "./slack-bugs.ts";
import { teamsBugs } from "./teams-bugs.ts";
import { telegramBugs } from "./telegram-bugs.ts";
import { webBugs } from "./web-bugs.ts";

/** All planted bugs (C1). The contract suite alone must find MIN_KILLED of them. */
export const buggyAdapters: readonly BuggyAdapter[] = [slackBugs, discordBugs, teamsBugs, telegramBugs, webBugs];

export const MIN_BUGS = 60;
/** Percent. */
export const MIN_KILLED = 90;

export interface NamedBug extends PlantedBug {
  readonly id: string;
  readonly adapter: string;
}

export const plantedBugs: readonly NamedBug[] = buggyAdapters.flatMap((adapter) =>
  adapter.bugs.map((bug) => ({ ...bug, id: bugId(adapter, bug), adapter: adapter.name })),
);

export const sourceOf = ({ adapter, file }: NamedBug): string => `adapters/${adapter}/${file}`;

export const testOf = (adapter: string): string => `test/adapters/${adapter}/channel-contract.test.ts`;

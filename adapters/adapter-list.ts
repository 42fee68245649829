import { discord } from "./discord/index.ts";
import { slack } from "./slack/index.ts";
import { teams } from "./teams/index.ts";
import { telegram } from "./telegram/index.ts";
import { web } from "./web/index.ts";

/** The only list of adapters, in the order of `mooring init`: a new one is a folder and an entry here. */
export const adapters = [web, slack, discord, teams, telegram] as const;

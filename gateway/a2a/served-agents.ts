import type { Config } from "../../config/config.ts";
import { isCalled } from "../inbound-options.ts";
import type { ServedAgent } from "./served-agent.ts";

/** The agents that some caller may call. */
export const servedAgents = ({ agents, a2a }: Pick<Config, "agents" | "a2a">): ServedAgent[] =>
  agents.filter(({ name }) => isCalled(a2a, name));

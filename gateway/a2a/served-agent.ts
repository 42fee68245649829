import type { Config } from "../../config/index.ts";
import { isCalled } from "../agent-config.ts";

/** An agent that remote callers may call. */
export type ServedAgent = Pick<Config["agents"][number], "name" | "tenant" | "description" | "skills">;

export const servedAgents = ({ agents, a2a }: Pick<Config, "agents" | "a2a">): readonly ServedAgent[] =>
  agents.filter(({ name }) => isCalled(a2a, name));

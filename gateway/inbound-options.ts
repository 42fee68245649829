import type { Config } from "../config/config.ts";
import type { InboundOptions } from "../core/a2a/inbound/index.ts";
import type { Home } from "../core/delivery/index.ts";
import { destinationOf } from "./configured-schedules.ts";

type Called = Pick<Config["agents"][number], "name" | "skills">;

/** How an agent treats calls of others; undefined if nobody may call it. */
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

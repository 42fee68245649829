import type { Tool } from "../contract/tool.ts";
import type { Agent } from "../turns/index.ts";

/** By the agent's own list: an unchanged list is described to models once. */
const lists = new WeakMap<readonly Tool[], readonly Tool[]>();

/**
 * The agent in a turn for another agent: nothing of it reaches people (A5), so it has no tools that act for them.
 * Otherwise a caller could do through two agents what one alone refuses.
 */
export const withoutPeopleTools = (agent: Agent): Agent => {
  const tools = lists.get(agent.tools) ?? agent.tools.filter(({ isForPeople }) => !isForPeople);
  lists.set(agent.tools, tools);
  return { ...agent, tools };
};

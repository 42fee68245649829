import type { Asker } from "../contract/messages/work-context.ts";
import type { Permit } from "../contract/rights.ts";
import type { Tool } from "../contract/tool.ts";
import type { Agent, Turn } from "./turn.ts";

/** The permit of a turn. Calls ask for it again, because the rights may have changed since the turn began. */
export const permitOf = ({ agent, record }: Pick<Turn, "agent" | "record">): Permit =>
  agent.rights.permit(record.asker);

/** By permit and list of tools: the descriptions of a list are cached, so the same speakers must get the same list. */
const permitted = new WeakMap<Permit, WeakMap<readonly Tool[], readonly Tool[]>>();

/** The agent with the tools that work of this asker is offered (R1). */
export const permittedAgent = (agent: Agent, asker: Pick<Asker, "causes">): Agent => {
  const permit = agent.rights.permit(asker);
  const lists = permitted.get(permit) ?? new WeakMap<readonly Tool[], readonly Tool[]>();
  permitted.set(permit, lists);
  const tools = lists.get(agent.tools) ?? agent.tools.filter(({ needs }) => permit.allows(needs));
  lists.set(agent.tools, tools);
  return { ...agent, tools };
};

/** By fixed and offered tools, for the same reason as above. */
const joined = new WeakMap<readonly Tool[], WeakMap<readonly Tool[], readonly Tool[]>>();

/** The agent with the tools that its tool source offers now; they stay the same until the turn ends. */
export const withOfferedTools = async (agent: Agent, asker: Pick<Asker, "causes">): Promise<Agent> => {
  const { toolSource } = agent;
  if (toolSource === undefined) return agent;
  const { tools: offered, unavailable } = toolSource.always ?? (await toolSource.offer(agent.rights.permit(asker)));
  const lists = joined.get(agent.tools) ?? new WeakMap<readonly Tool[], readonly Tool[]>();
  joined.set(agent.tools, lists);
  const tools = lists.get(offered) ?? [...agent.tools, ...offered];
  lists.set(offered, tools);
  return { ...agent, tools, unavailableTools: unavailable };
};

import { readCall } from "../../a2a/index.ts";
import { type AgentRef, INBOUND_CHANNEL } from "../../contract/messages/addresses.ts";
import type { OwnerContext } from "../../contract/messages/work-context.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { audienceAt } from "../../delivery/index.ts";
import { readSubtask, topSubtaskOf } from "../../subtasks/index.ts";
import type { ApprovalDeps } from "../deps.ts";
import type { Approval } from "../record/approval-record.ts";

type Asked = Approval["asked"];

/**
 * The conversation in which people are asked: the one where the work began, else the agent's home (T4). Work that began in
 * private is never shown elsewhere (D3). Undefined: there is no conversation to ask in.
 */
export const whereToAsk = async (deps: ApprovalDeps, context: ToolContext): Promise<Asked | undefined> => {
  const { audience } = context;
  const isFromCaller = audience.conversation.channel === INBOUND_CHANNEL;
  if (!isFromCaller) {
    const { tenant, agent } = await firstAgentOf(deps, context);
    const knows = deps.asking.of({ tenant, agent })?.hasChannel ?? (() => true);
    if (knows(audience.conversation.channel)) return { agent, audience, isHome: false };
  }
  if (!isFromCaller && audience.conversation.kind === "private") return undefined;
  const { home, hasChannel } = deps.asking.of(context) ?? {};
  const atHome = home && (await audienceAt(deps.store, context.tenant, home, hasChannel));
  return atHome && { agent: context.agent, audience: atHome, isHome: true };
};

/** The agent that a person asked: an agent that works for another one of this deployment has no conversation with people. */
const firstAgentOf = async (deps: ApprovalDeps, context: ToolContext): Promise<AgentRef> => {
  let { tenant, agent }: AgentRef = context;
  let standing = context.delegationContext;
  // Bounded, because agents pass work to each other only a few times (A4).
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const { worksFor } = await sessionOwnerOf(deps, { tenant, agent }, standing);
    const call = worksFor?.kind === "peer-call" ? await readCall(deps.store, worksFor) : undefined;
    if (call === undefined) break;
    ({ tenant, agent, standing } = call);
  }
  return { tenant, agent };
};

const MAX_HOPS = 20;

/** The session that the work belongs to; a subtask's own turn names only the subtask. */
const sessionOwnerOf = async (
  deps: ApprovalDeps,
  { tenant, agent }: AgentRef,
  { owner, subtaskId }: ToolContext["delegationContext"],
): Promise<OwnerContext> => {
  const subtask = subtaskId && (await readSubtask(deps.store, { tenant, agent, id: subtaskId }));
  const top = subtask ? await topSubtaskOf(deps, subtask) : undefined;
  return top?.owner ?? owner;
};

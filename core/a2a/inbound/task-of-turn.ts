import { INBOUND_CHANNEL, type InboundTaskAddress } from "../../contract/inbound-task.ts";
import type { UserMessage } from "../../contract/user-message.ts";
import type { TurnRecord } from "../../turns/turn-record.ts";

type Place = Pick<InboundTaskAddress, "tenant" | "agent">;

interface Placed extends Pick<TurnRecord, "origin" | "audience"> {
  readonly standing: Pick<TurnRecord["standing"], "depth">;
}

/** The task of a calling agent that a turn works on. Turns of subtasks report to its turns, not to the caller. */
export const taskOfTurn = (
  { tenant, agent }: Place,
  { origin, audience, standing }: Placed,
): InboundTaskAddress | undefined => {
  const { conversation, accountId } = audience;
  const isCalled = conversation.channel === INBOUND_CHANNEL && standing.depth === 0;
  if (!isCalled || origin.taskId === undefined || accountId === undefined) return undefined;
  return { tenant, agent, caller: accountId, id: origin.taskId };
};

/** What it hands on to another agent of ours is that one's work for it, not for the caller. */
export const taskOfMessage = (message: UserMessage): InboundTaskAddress | undefined =>
  message.synthetic && message.synthetic.owner.worksFor?.kind !== "peer-call"
    ? taskOfTurn(message, { ...message.synthetic, standing: { depth: 0 } })
    : undefined;

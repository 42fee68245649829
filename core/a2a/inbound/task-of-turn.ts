import { INBOUND_CHANNEL, type InboundTaskAddress } from "../../contract/inbound-task.ts";
import type { UserMessage } from "../../contract/user-message.ts";
import type { TurnRecord } from "../../turns/index.ts";

type Place = Pick<InboundTaskAddress, "tenant" | "agent">;

type Placed = Pick<TurnRecord, "origin" | "audience">;

/** The task of a calling agent that a turn works on. Turns of subtasks report to its turns, not to the caller. */
export const taskOfTurn = (
  place: Place,
  turn: Placed & { readonly standing: Pick<TurnRecord["standing"], "depth"> },
): InboundTaskAddress | undefined => (turn.standing.depth === 0 ? taskOf(place, turn) : undefined);

/** What it hands on to another agent of ours is that one's work for it, not for the caller. */
export const taskOfMessage = (message: UserMessage): InboundTaskAddress | undefined =>
  message.synthetic && message.synthetic.owner.worksFor?.kind !== "peer-call"
    ? taskOf(message, message.synthetic)
    : undefined;

const taskOf = ({ tenant, agent }: Place, { origin, audience }: Placed): InboundTaskAddress | undefined => {
  const { conversation, accountId } = audience;
  if (conversation.channel !== INBOUND_CHANNEL || origin.taskId === undefined || accountId === undefined) {
    return undefined;
  }
  return { tenant, agent, caller: accountId, id: origin.taskId };
};

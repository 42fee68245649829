import type { AgentReply } from "../../contract/agent-reply.ts";
import { type Conversation, conversationKey, sameConversation, sameRoom } from "../../contract/conversation.ts";
import type { Reach } from "../../contract/delivery-policy.ts";
import type { PersonRecord, Surface } from "../../people/index.ts";
import { type Admits, canSee } from "../visibility.ts";

/** Whether a conversation has already rejected this reply. */
export const isRefused = ({ refusedIn = [] }: Pick<AgentReply, "refusedIn">, conversation: Conversation): boolean =>
  refusedIn.some((each) => sameConversation(each, conversation));

/** The asker's private conversations beside the origin that show a reply, over all channels (D2). */
export const secondaryTargets = (
  reply: AgentReply,
  person: PersonRecord | undefined,
  reach: Reach,
  admits: Admits,
): Surface[] => {
  if (person === undefined || reach === "origin") return [];
  const { surfaces, lastActive } = person;
  const isAllowed = ({ conversation, agent }: Surface) =>
    agent === reply.agent &&
    !isRefused(reply, conversation) &&
    // Another thread of the same room already shows the reply.
    !sameRoom(conversation, reply.audience.conversation) &&
    canSee(reply, conversation, person, admits);
  if (reach === "everywhere") return surfaces.filter(isAllowed);
  const isLast = ({ conversation }: Surface) => conversationKey(conversation) === lastActive;
  const last = surfaces.find(isLast);
  if (last === undefined || !isRefused(reply, last.conversation)) return last && isAllowed(last) ? [last] : [];
  // The last active conversation rejected the reply, so it goes to the newest of the others.
  return surfaces.filter(isAllowed).slice(-1);
};

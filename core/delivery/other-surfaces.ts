import type { AgentReply } from "../contract/agent-reply.ts";
import type { Conversation } from "../contract/conversation.ts";
import { conversationKey, sameConversation, sameRoom } from "../contract/conversation.ts";
import type { Reach } from "../contract/delivery-policy.ts";
import type { PersonRecord, Surface } from "../people/index.ts";
import type { Admits } from "./may-show.ts";
import { mayShow } from "./may-show.ts";

export const isRefused = ({ refusedIn = [] }: Pick<AgentReply, "refusedIn">, conversation: Conversation): boolean =>
  refusedIn.some((each) => sameConversation(each, conversation));

/** The asker's private conversations beside the origin in which a reply is shown, over all channels (D2). */
export const otherSurfaces = (
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
    // One of its threads has it already.
    !sameRoom(conversation, reply.audience.conversation) &&
    mayShow(reply, conversation, person, admits);
  if (reach === "everywhere") return surfaces.filter(isAllowed);
  const isLast = ({ conversation }: Surface) => conversationKey(conversation) === lastActive;
  const last = surfaces.find(isLast);
  if (last === undefined || !isRefused(reply, last.conversation)) return last && isAllowed(last) ? [last] : [];
  // Where they were last would not have it: where they began to talk most lately.
  return surfaces.filter(isAllowed).slice(-1);
};

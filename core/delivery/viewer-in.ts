import type { AgentReply } from "../contract/agent-reply.ts";
import type { Conversation } from "../contract/conversation.ts";
import { sameRoom } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import type { ViewerTime } from "../contract/viewer-time.ts";
import { listed } from "../people/index.ts";
import { askerOf } from "./asker-of.ts";

/** How the person who reads a conversation reads times, as far as their account there tells. A room has many readers. */
export const viewerIn = async (
  store: Store,
  reply: Pick<AgentReply, "tenant" | "audience">,
  target: Conversation,
): Promise<ViewerTime> => {
  if (target.kind === "shared") return {};
  const person = await askerOf(store, reply);
  const surface = person?.surfaces.find(({ conversation }) => sameRoom(conversation, target));
  const { timeZone, locale } = (person && surface && listed(person, surface)) ?? {};
  return { timeZone, locale };
};

import type { AgentReply } from "../contract/agent-reply.ts";
import type { Conversation } from "../contract/conversation.ts";
import { sameConversation } from "../contract/conversation.ts";
import { askerOf } from "./asker-of.ts";
import { otherSurfaces } from "./other-surfaces.ts";
import { originKindOf, reachFor } from "./policy-for.ts";
import type { TargetParts } from "./targets.ts";
import { isUnsolicitedFinal } from "./targets.ts";

/**
 * next: it goes to another conversation, if it is published again like this.
 * in-private: its asker can be told alone, on the same channel.
 */
export type AfterRefusal = { readonly next: AgentReply } | { readonly inPrivate: string } | undefined;

/**
 * A conversation does not take a reply, now or ever: where else policy and audience let its asker see it (D2, D3).
 * Undefined: nowhere else, or they see it elsewhere already.
 */
export const afterRefusal =
  ({ store, defaultsOn, admits }: Omit<TargetParts, "clock">) =>
  async (reply: AgentReply, conversation: Conversation): Promise<AfterRefusal> => {
    const { audience } = reply;
    const isRoomOfOrigin = conversation.kind === "shared" && sameConversation(conversation, audience.conversation);
    const alone = isRoomOfOrigin && audience.accountId !== undefined ? { inPrivate: audience.accountId } : undefined;
    if (!isUnsolicitedFinal(reply)) return reply.correlationId === undefined ? undefined : alone;
    const person = await askerOf(store, reply);
    const reach = reachFor(originKindOf(reply), person?.policy, defaultsOn(audience.conversation.channel).policy);
    if (reach === "origin") return undefined;
    const next = { ...reply, mayRepeat: true, refusedIn: [...(reply.refusedIn ?? []), conversation] };
    const before = otherSurfaces(reply, person, reach, admits);
    const after = otherSurfaces(next, person, reach, admits);
    const isNew = after.some(
      (surface) => !before.some((each) => sameConversation(each.conversation, surface.conversation)),
    );
    if (isNew) return { next };
    return after.length === 0 ? alone : undefined;
  };

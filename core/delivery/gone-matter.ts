import { z } from "zod";
import type { AgentReply } from "../contract/agent-reply.ts";
import { Audience } from "../contract/agent-reply.ts";
import { Conversation, sameConversation } from "../contract/conversation.ts";
import { isUserStarted, originKindOf } from "./policy-for.ts";

/** A result that cannot get where it was to go, and what its people are to be told about that (P2). */
export const GoneMatter = z.looseObject({
  /** "scheduled" or "a2a-inbound": what began the work. */
  kind: z.string(),
  /** The schedule's id. */
  id: z.string().optional(),
  title: z.string(),
  /** Of the result: nobody outside is told more than that there was one (D3). Absent: it is nobody's own. */
  audience: Audience.optional(),
  reason: z.string(),
  /** Where the result is to be had instead, in words for who it is for. */
  instead: z.string(),
  /** Where it, and reports of it, did not get through; the place it was meant for first. */
  tried: z.array(Conversation),
});
export type GoneMatter = z.infer<typeof GoneMatter>;

/** Under this name in a report's `data`. */
export const GONE = "gone";

/**
 * What is to be reported if a reply was refused for good in a conversation: a result that came by itself, in the place
 * it was meant for, or a report of such a one. Whoever waits for an answer is there to ask.
 */
export const goneMatterOf = (
  reply: AgentReply,
  target: Conversation,
  { reason, instead }: Pick<GoneMatter, "reason" | "instead">,
): GoneMatter | undefined => {
  const reported = GoneMatter.safeParse(reply.data?.[GONE]).data;
  if (reported !== undefined) return { ...reported, tried: [...reported.tried, target] };
  const { kind, correlationId, origin, audience } = reply;
  const originKind = originKindOf(reply);
  if (kind !== "final" || correlationId !== undefined || origin === null || isUserStarted(originKind)) return undefined;
  if (!sameConversation(target, audience.conversation)) return undefined;
  const { taskId: id, promptSummary: title } = origin;
  return { kind: originKind, ...(id !== undefined && { id }), title, audience, reason, instead, tried: [target] };
};

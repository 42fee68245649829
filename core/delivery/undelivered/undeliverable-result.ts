import { z } from "zod";
import type { AgentReply } from "../../contract/messages/agent-reply.ts";
import { channelLabel } from "../../contract/messages/channel-label.ts";
import { Conversation, sameConversation } from "../../contract/messages/conversation.ts";
import { Audience } from "../../contract/messages/work-context.ts";
import type { Texts } from "../../contract/texts/texts.ts";
import { isUserStarted, originKindOf } from "../targets.ts";
import { deliveryFailureText } from "./undelivered.ts";

/** A result that cannot reach its target, and the facts for the notice about it (P2). */
export const UndeliverableResult = z.looseObject({
  /** The origin of the work: "scheduled" or "a2a-inbound". */
  kind: z.string(),
  /** The schedule's id. */
  id: z.string().optional(),
  title: z.string(),
  /** Readers outside this audience learn only that a result existed (D3). Absent: the result belongs to no single person. */
  audience: Audience.optional(),
  reason: z.string(),
  /** Where its recipient finds the result instead: a key of the texts, or empty. */
  instead: z.string(),
  /** The conversations that the result and its notices did not reach; the intended target first. */
  tried: z.array(Conversation),
});
export type UndeliverableResult = z.infer<typeof UndeliverableResult>;

/** The field of a notice's `data` that holds the result. */
export const UNDELIVERABLE_FIELD = "gone";

/**
 * The result to report after a conversation has permanently rejected a reply: a proactive result in its intended
 * conversation, or a notice about such a result. Solicited answers need no report, because their asker can ask again.
 */
export const undeliverableResultOf = (
  reply: AgentReply,
  target: Conversation,
  { reason, instead }: Pick<UndeliverableResult, "reason" | "instead">,
): UndeliverableResult | undefined => {
  const reported = UndeliverableResult.safeParse(reply.data?.[UNDELIVERABLE_FIELD]).data;
  if (reported !== undefined) return { ...reported, tried: [...reported.tried, target] };
  const { kind, correlationId, origin, audience } = reply;
  const originKind = originKindOf(reply);
  if (kind !== "final" || correlationId !== undefined || origin === null || isUserStarted(originKind)) return undefined;
  if (!sameConversation(target, audience.conversation)) return undefined;
  const { taskId: id, promptSummary: title } = origin;
  return { kind: originKind, ...(id !== undefined && { id }), title, audience, reason, instead, tried: [target] };
};

/** The notice about an undeliverable result. Outsiders learn neither its owner nor its subject (D3). */
export const undeliverableNotice = (result: UndeliverableResult, isForAsker: boolean, texts: Texts): string => {
  const { id, audience, reason, instead, tried } = result;
  const { delivery, schedules } = texts;
  const mayKnow = isForAsker || (audience?.personId ?? null) === null;
  const [target] = tried;
  const about = mayKnow ? named(result, texts) : unnamed(result, texts);
  const where = target && channelLabel(target.channel);
  return [
    delivery.undeliverable(about, where, deliveryFailureText(reason, texts)),
    ...(isForAsker ? [insteadText(instead, texts)].filter((text) => text !== "") : [delivery.inDeadLetters]),
    ...(isForAsker && id !== undefined ? [schedules.cancelWith(id)] : []),
  ].join(" ");
};

/** Version 0.2 stored the text itself. */
const insteadText = (instead: string, { delivery }: Texts): string =>
  Object.hasOwn(delivery.instead, instead) ? delivery.instead[instead as keyof Texts["delivery"]["instead"]] : instead;

const named = ({ kind, title }: UndeliverableResult, { delivery }: Texts): string =>
  kind === "scheduled" ? delivery.schedule(title) : delivery.forAgent(title);

const unnamed = ({ kind, id }: UndeliverableResult, { delivery }: Texts): string =>
  kind === "scheduled" ? delivery.someonesSchedule(id) : delivery.workForAgent;

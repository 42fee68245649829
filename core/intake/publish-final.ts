import { publishReply } from "../delivery/index.ts";
import type { TurnEntry } from "../sessions/index.ts";
import { type Agent, finalIdOf, settledOrigin, type TurnRecord } from "../turns/index.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { noteWhereShown } from "./note-where-shown.ts";

/** The one answer of a turn that has ended: the same id and the same words, however often it is published. */
export const publishFinal = async (
  parts: IntakeParts,
  agent: Agent,
  record: TurnRecord,
  { at, finalText, outcome }: TurnEntry,
  mayRepeat: boolean,
): Promise<void> => {
  const { correlationId, cause, audience, sessionId } = record;
  const id = finalIdOf(record.turnId);
  const origin = await settledOrigin(parts.store, agent, record);
  await publishReply(parts.bus, {
    id,
    tenant: agent.tenant,
    agent: agent.name,
    sessionId,
    kind: "final",
    markdown: finalText,
    outcome,
    ...(correlationId === undefined ? { ...(cause !== undefined && { cause }) } : { correlationId }),
    origin,
    audience,
    ...(mayRepeat && { mayRepeat }),
    createdAt: at,
    traceId: record.traceId,
  });
  if (correlationId !== undefined) return;
  const said = { kind: "said", replyId: id, at, markdown: finalText, origin } as const;
  await noteWhereShown(parts, agent, audience, sessionId, said);
};

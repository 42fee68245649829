import { publishReply } from "../delivery/publish-reply.ts";
import type { TurnEntry } from "../sessions/history-entry.ts";
import type { Agent } from "../turns/agent.ts";
import type { TurnRecord } from "../turns/turn-record.ts";
import { finalIdOf } from "../turns/turn-record.ts";
import type { IntakeParts } from "./intake-parts.ts";

/** The one answer of a turn that has ended: the same id and the same words, however often it is published. */
export const publishFinal = (
  { bus }: IntakeParts,
  agent: Agent,
  { correlationId, cause, ...record }: TurnRecord,
  entry: TurnEntry,
  mayRepeat: boolean,
): Promise<void> =>
  publishReply(bus, {
    id: finalIdOf(record.turnId),
    tenant: agent.tenant,
    agent: agent.name,
    sessionId: record.sessionId,
    kind: "final",
    markdown: entry.finalText,
    outcome: entry.outcome,
    ...(correlationId === undefined ? { ...(cause !== undefined && { cause }) } : { correlationId }),
    origin: record.origin,
    audience: record.audience,
    ...(mayRepeat && { mayRepeat }),
    createdAt: entry.at,
    traceId: record.traceId,
  });

import type { Audience } from "../contract/work-context.ts";
import { publishReply } from "../delivery/index.ts";
import { currentSession, type SaidEntry, type TurnEntry } from "../sessions/index.ts";
import type { Agent } from "../turns/index.ts";
import { finalIdOf, type TurnRecord } from "../turns/records/index.ts";
import type { IntakeDeps } from "./intake-deps.ts";
import { settledOrigin } from "./prompt-summary.ts";

/** Publishes the answer of an ended turn. Idempotent: id and text are the same in every retry. */
export const publishFinal = async (
  deps: IntakeDeps,
  agent: Agent,
  record: TurnRecord,
  { at, finalText, outcome }: TurnEntry,
  mayRepeat: boolean,
): Promise<void> => {
  const { correlationId, cause, audience, sessionId } = record;
  const id = finalIdOf(record.turnId);
  const origin = correlationId === undefined ? await settledOrigin(deps.store, agent, record) : record.origin;
  await publishReply(deps.bus, {
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
  await noteWhereShown(deps, agent, audience, sessionId, said);
};

/**
 * Adds a proactive message to the history of the session that now holds the origin conversation, if `new` has started
 * another session there since (O15). Idempotent.
 */
export const noteWhereShown = async (
  { store, history }: Pick<IntakeDeps, "store" | "history">,
  { tenant, name: agent }: Agent,
  { conversation }: Audience,
  knownIn: string,
  said: SaidEntry,
): Promise<void> => {
  const shownIn = await currentSession(store, { tenant, agent, conversation });
  if (shownIn !== knownIn) await history.noteSaid(shownIn, said);
};

/**
 * A waiting user always gets a reply (B7). Without one, people do not see an empty result, a text whose answer is still to
 * come (B6), or a result for another agent (A5).
 */
export const isForPeople = (
  { correlationId, standing: delegationContext }: Pick<TurnRecord, "correlationId" | "standing">,
  { outcome, suppressed }: Pick<TurnEntry, "outcome" | "suppressed">,
): boolean =>
  correlationId !== undefined ||
  (delegationContext.owner.worksFor === undefined && outcome !== "nothing" && !suppressed);

import { messageOf } from "../contract/app-error.ts";
import type { WorksFor } from "../contract/owner-context.ts";
import { WorkingMemory } from "../memory/index.ts";
import type { TurnEntry } from "../sessions/index.ts";
import { isOutstanding, readOwner, type SubtaskParts } from "../subtasks/index.ts";
import type { Agent } from "../turns/index.ts";
import { addToAnswer } from "./add-to-answer.ts";
import { changeCall } from "./change-call.ts";
import { focusKey } from "./focus.ts";
import { readCall } from "./peer-call.ts";
import { settleCall } from "./settle-call.ts";

type Ended = Pick<TurnEntry, "outcome" | "finalText" | "suppressed">;

interface EndedTurn {
  readonly worksFor: WorksFor;
  readonly sessionId: string;
  /** That started it. */
  readonly messageId: string;
}

/** A turn that worked for another agent has ended: its words are the answer, unless others still work on it. */
export const answerCaller = async (
  parts: SubtaskParts,
  agent: Pick<Agent, "tenant" | "name">,
  turn: EndedTurn,
  { outcome, finalText, suppressed }: Ended,
): Promise<void> => {
  const { worksFor, sessionId, messageId: answeredBy } = turn;
  if (worksFor.kind !== "peer-call") return;
  const call = await readCall(parts.store, worksFor);
  if (call?.answeredBy !== undefined && call.answeredBy !== answeredBy) {
    if (!suppressed) await addToAnswer(parts, call, answeredBy, finalText);
    return;
  }
  if ((await othersWork(parts, agent, turn)) || suppressed) return;
  const said = outcome === "failed" ? { error: finalText } : { answer: finalText };
  await settleCall(parts, worksFor, { ...said, answeredBy });
  try {
    await new WorkingMemory(parts.store, parts.clock, sessionId).delete(focusKey(worksFor));
  } catch (error) {
    // The answer is on its way; what is left behind expires.
    parts.logger.warn({ call: worksFor.id, error: messageOf(error) }, "a focus entry is left behind");
  }
};

/** Of several whom it has asked, the last one's turn is the answer. */
const othersWork = async (
  parts: SubtaskParts,
  { tenant, name }: Pick<Agent, "tenant" | "name">,
  { worksFor, sessionId, messageId }: EndedTurn,
): Promise<boolean> => {
  const { batches } = await readOwner(parts.store, { tenant, agent: name, ownerId: sessionId });
  const own = Object.values(batches).filter(({ standing }) => standing.owner.worksFor?.id === worksFor.id);
  if (own.length === 0) return false;
  const call = await changeCall(parts, worksFor, (is) =>
    is.turnsEnded?.includes(messageId) ? is : { ...is, turnsEnded: [...(is.turnsEnded ?? []), messageId] },
  );
  return own.some((batch) => isOutstanding(batch, call?.turnsEnded ?? []));
};

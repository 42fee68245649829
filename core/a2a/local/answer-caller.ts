import type { FileRef } from "../../contract/file-ref.ts";
import type { WorksFor } from "../../contract/messages/work-context.ts";
import type { TurnEntry } from "../../sessions/index.ts";
import { isOutstanding, readOwner, type SubtaskDeps } from "../../subtasks/index.ts";
import type { Agent } from "../../turns/index.ts";
import { foldBack, notifySubtask } from "../calls/fold-back.ts";
import { settleCall } from "../calls/settle-call.ts";
import { changeCall, type PeerCall, readCall } from "../record/peer-call.ts";
import { additionFrom } from "../record/peer-update.ts";
import { cancelLocalWork } from "./cancelled-call.ts";
import { deleteDelegationNote } from "./peer-request.ts";

type TurnEnd = Pick<TurnEntry, "outcome" | "finalText" | "suppressed" | "files">;

interface EndedTurn {
  readonly worksFor: WorksFor;
  readonly sessionId: string;
  /** The message that started the turn. */
  readonly messageId: string;
}

/** A local peer's turn has ended: its text is the answer to the call, unless delegated work is still open. */
export const answerCaller = async (
  deps: SubtaskDeps,
  agent: Pick<Agent, "tenant" | "name">,
  turn: EndedTurn,
  { outcome, finalText, suppressed, files = [] }: TurnEnd,
): Promise<void> => {
  const { worksFor, sessionId, messageId: answeredBy } = turn;
  if (worksFor.kind !== "peer-call") return;
  const call = await readCall(deps.store, worksFor);
  // The turn may have started work after the cancellation had looked for it.
  if (call?.cancelledAt !== undefined) return cancelLocalWork(deps, call);
  if (call?.answeredBy !== undefined && call.answeredBy !== answeredBy) {
    if (!suppressed) await appendToAnswer(deps, call, answeredBy, finalText, files);
    return;
  }
  if ((await hasOpenWork(deps, agent, turn)) || suppressed) return;
  const result = outcome === "failed" ? { error: finalText } : { answer: finalText };
  await settleCall(deps, worksFor, { ...result, answeredBy, files });
  await deleteDelegationNote(deps, sessionId, worksFor);
};

/** The peer answers with the turn that follows the last piece of work it delegated. */
const hasOpenWork = async (
  deps: SubtaskDeps,
  { tenant, name }: Pick<Agent, "tenant" | "name">,
  { worksFor, sessionId, messageId }: EndedTurn,
): Promise<boolean> => {
  const { batches } = await readOwner(deps.store, { tenant, agent: name, ownerId: sessionId });
  const own = Object.values(batches).filter((batch) => batch.standing.owner.worksFor?.id === worksFor.id);
  if (own.length === 0) return false;
  const call = await changeCall(deps, worksFor, (open) =>
    open.turnsEnded?.includes(messageId) ? open : { ...open, turnsEnded: [...(open.turnsEnded ?? []), messageId] },
  );
  return own.some((batch) => isOutstanding(batch, call?.turnsEnded ?? []));
};

/**
 * A local peer that has answered runs another turn, for example because of a late result of its own subtask. The text of
 * that turn goes the way of the answer (L1).
 */
const appendToAnswer = async (
  deps: SubtaskDeps,
  call: PeerCall,
  messageId: string,
  text: string,
  files: readonly FileRef[],
): Promise<void> => {
  if (call.mode === "notify" || (text === "" && files.length === 0)) return;
  const update = { ...additionFrom(call, messageId, text), files };
  if (call.standing.subtaskId === undefined) await foldBack(deps, call, update, undefined);
  else await notifySubtask(deps, call, update);
};

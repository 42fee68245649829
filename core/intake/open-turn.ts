import { AppError, RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { nextIndex, type SessionWindow } from "../sessions/index.ts";
import { Journal, type TurnRecord, turnIdOf, turnKey, turnKeyById } from "../turns/index.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { isAsAssumed, resolveFromCache, resolveTurn, type WorkToDo } from "./resolve-turn.ts";

export interface OpenedTurn {
  readonly record: TurnRecord;
  /** The message was seen before: by a process that died, or because it came twice. */
  readonly seenBefore: boolean;
  /** What the session remembered when the turn was opened. */
  readonly window: SessionWindow;
}

/** The message's one record: created now, or found. Everything about its origin is fixed from here on (O2). */
export const openTurn = async (parts: IntakeParts, message: UserMessage): Promise<OpenedTurn> => {
  const assumed = resolveFromCache(parts, message);
  if (assumed !== undefined) return openAssuming(parts, message, assumed);
  const todo = await resolveTurn(parts, message);
  const record = recordOf(parts, message, todo);
  const revision = await create(parts, message, record);
  return revision === undefined ? find(parts, message) : { record, seenBefore: false, window: todo.window };
};

/**
 * Stores the turn on what this process last knew, and looks that up at the same time: a round trip less. What was wrong
 * is corrected before anything is made of it; if the process dies in between, whoever finds the turn looks again.
 */
const openAssuming = async (parts: IntakeParts, message: UserMessage, assumed: WorkToDo): Promise<OpenedTurn> => {
  const record: TurnRecord = { ...recordOf(parts, message, assumed), assumed: true };
  const [todo, revision] = await Promise.all([resolveTurn(parts, message), create(parts, message, record)]);
  if (revision === undefined) return find(parts, message);
  await parts.checkpoint("turn.assumed");
  if (isAsAssumed(record, todo)) return { record, seenBefore: false, window: todo.window };
  return { ...(await correct(parts, message, todo, revision)), seenBefore: false };
};

const find = async (parts: IntakeParts, message: UserMessage): Promise<OpenedTurn> => {
  const found = await parts.store.get(turnKey(message));
  if (found === undefined) throw new AppError("conflict", "the message's record expired just now; it is run again");
  const { value: record, revision } = found;
  if (!record.assumed || (await hasBegun(parts, record))) {
    return { record, seenBefore: true, window: await parts.history.window(record.sessionId) };
  }
  const todo = await resolveTurn(parts, message);
  if (isAsAssumed(record, todo)) return { record, seenBefore: true, window: todo.window };
  return { ...(await correct(parts, message, todo, revision)), seenBefore: true };
};

/** Something was made of it, so what it was stored on had been looked up by then. */
const hasBegun = async (
  { history, store }: IntakeParts,
  { sessionId, index, turnId }: TurnRecord,
): Promise<boolean> => {
  const [ended, response] = await Promise.all([
    history.endedTurn(sessionId, index, turnId),
    new Journal(store, turnId, false).response(0),
  ]);
  return ended !== undefined || response !== undefined;
};

/** Rejects with RevisionConflict if another process has taken the turn. */
const correct = async (parts: IntakeParts, message: UserMessage, todo: WorkToDo, revision: number) => {
  const record = recordOf(parts, message, todo);
  await parts.store.put(turnKeyById(message, record.turnId), record, { ifRevision: revision });
  return { record, window: todo.window };
};

const recordOf = ({ clock }: IntakeParts, message: UserMessage, { work, window }: WorkToDo): TurnRecord => ({
  ...work,
  ...(message.command && { command: message.command.name }),
  turnId: turnIdOf(message),
  messageId: message.id,
  sessionId: window.sessionId,
  index: nextIndex(window),
  openedAt: isoTime(clock.now()),
  traceId: message.traceId,
});

/** Undefined: it is there already. */
const create = async (
  { store }: IntakeParts,
  message: UserMessage,
  record: TurnRecord,
): Promise<number | undefined> => {
  try {
    return await store.put(turnKeyById(message, record.turnId), record, { ifRevision: 0 });
  } catch (error) {
    if (error instanceof RevisionConflict) return undefined;
    throw error;
  }
};

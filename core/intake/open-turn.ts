import { AppError } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import { createOnce } from "../contract/update.ts";
import type { TurnMessage } from "../contract/user-message.ts";
import { nextIndex, type SessionWindow } from "../sessions/index.ts";
import { Journal, type TurnRecord, turnIdOf, turnKey, turnKeyById } from "../turns/records/index.ts";
import type { IntakeDeps } from "./intake-deps.ts";
import { isAsAssumed, type ResolvedTurn, resolveFromCache, resolveTurn } from "./resolve-turn.ts";

export interface OpenedTurn {
  readonly record: TurnRecord;
  /** An earlier run of the message exists: its process died, or the message is a duplicate. */
  readonly seenBefore: boolean;
  /** The history of the session when the turn was opened. */
  readonly window: SessionWindow;
}

/** Creates or finds the record of the message. The record fixes origin and audience (O2). */
export const openTurn = async (deps: IntakeDeps, message: TurnMessage): Promise<OpenedTurn> => {
  const assumed = resolveFromCache(deps, message);
  if (assumed !== undefined) return openAssuming(deps, message, assumed);
  const todo = await resolveTurn(deps, message);
  const record = recordOf(deps, message, todo);
  const revision = await create(deps, message, record);
  return revision === undefined ? find(deps, message) : { record, seenBefore: false, window: todo.window };
};

/**
 * Stores the turn with cached data and reads the current data at the same time, which saves a round trip. A stale record
 * is corrected before the turn runs; if the process dies in between, the next run checks again.
 */
const openAssuming = async (deps: IntakeDeps, message: TurnMessage, assumed: ResolvedTurn): Promise<OpenedTurn> => {
  const record: TurnRecord = { ...recordOf(deps, message, assumed), assumed: true };
  const [todo, revision] = await Promise.all([resolveTurn(deps, message), create(deps, message, record)]);
  if (revision === undefined) return find(deps, message);
  await deps.checkpoint("turn.assumed");
  if (isAsAssumed(record, todo)) return { record, seenBefore: false, window: todo.window };
  return { ...(await correct(deps, message, todo, revision)), seenBefore: false };
};

const find = async (deps: IntakeDeps, message: TurnMessage): Promise<OpenedTurn> => {
  const found = await deps.store.get(turnKey(message));
  if (found === undefined)
    throw new AppError("conflict", "the record of the message expired just now; the message will be retried");
  const { value: record, revision } = found;
  if (!record.assumed || (await hasBegun(deps, record))) {
    return { record, seenBefore: true, window: await deps.history.window(record.sessionId) };
  }
  const todo = await resolveTurn(deps, message);
  if (isAsAssumed(record, todo)) return { record, seenBefore: true, window: todo.window };
  return { ...(await correct(deps, message, todo, revision)), seenBefore: true };
};

/** A turn with a result was checked before it ran, so its record is not stale. */
const hasBegun = async ({ history, store }: IntakeDeps, { sessionId, index, turnId }: TurnRecord): Promise<boolean> => {
  const [ended, response] = await Promise.all([
    history.endedTurn(sessionId, index, turnId),
    new Journal(store, turnId, false).response(0),
  ]);
  return ended !== undefined || response !== undefined;
};

/** Rejects with RevisionConflict if another process has taken the turn. */
const correct = async (deps: IntakeDeps, message: TurnMessage, todo: ResolvedTurn, revision: number) => {
  const record = recordOf(deps, message, todo);
  await deps.store.put(turnKeyById(message, record.turnId), record, { ifRevision: revision });
  return { record, window: todo.window };
};

const recordOf = ({ clock }: IntakeDeps, message: TurnMessage, { work, window }: ResolvedTurn): TurnRecord => ({
  ...work,
  ...(message.kind === "command" && { command: message.command.name }),
  turnId: turnIdOf(message),
  messageId: message.id,
  sessionId: window.sessionId,
  index: nextIndex(window),
  openedAt: isoTime(clock.now()),
  traceId: message.traceId,
});

/** Undefined: the record exists already. */
const create = ({ store }: IntakeDeps, message: TurnMessage, record: TurnRecord): Promise<number | undefined> =>
  createOnce(store, turnKeyById(message, record.turnId), record);

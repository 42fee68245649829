import type { TurnMessage } from "../contract/messages/user-message.ts";
import type { Stored } from "../contract/ports/store.ts";
import { createOnce } from "../contract/ports/update.ts";
import type { SessionWindow } from "../sessions/index.ts";
import { Journal, type TurnRecord, turnKeyById } from "../turns/record/index.ts";
import type { IntakeDeps } from "./intake-deps.ts";
import { newWork, type ResolvedTurn, recordOf, resolveTurn } from "./resolve-turn.ts";

/**
 * Stores a turn with cached data, marked `assumed`, while the current data is read. A stale record is corrected before
 * the turn has any effect; if the process crashes in between, the next run checks the record again (ADR 0012).
 *
 * Saves one round trip for each plain message on NATS: 7 % of the time of one message at a time on a busy machine, 14 to
 * 22 % on an idle one (docs/performance.md, Saved round trips). The plain way is to resolve the turn first (open-turn.ts).
 */

interface CheckedTurn {
  readonly record: TurnRecord;
  readonly window: SessionWindow;
}

/** Resolves a plain message from the caches of this process, without a read of a remote store. Undefined: not cached. */
export const resolveFromCache = (
  deps: IntakeDeps,
  message: TurnMessage,
  locale: string | undefined,
): ResolvedTurn | undefined => {
  if (message.kind !== "message") return undefined;
  const { replyTo, revises, conversation, editable = false } = message;
  const isPlain = replyTo === undefined && revises === undefined && conversation.thread === undefined;
  // The record fixes the text of an editable message, so its edits must be read first.
  if (!isPlain || editable) return undefined;
  const window = deps.sessions.inMemory(message);
  const asker = deps.askers.last(message);
  return window && asker && { window, work: newWork(message, window.sessionId, asker, locale) };
};

/** Undefined: the record exists already. */
export const openAssumed = async (
  deps: IntakeDeps,
  message: TurnMessage,
  assumed: ResolvedTurn,
  locale: string | undefined,
): Promise<CheckedTurn | undefined> => {
  const record: TurnRecord = { ...recordOf(deps, message, assumed), assumed: true };
  const [resolved, revision] = await Promise.all([
    resolveTurn(deps, message, locale),
    createOnce(deps.store, turnKeyById(message, record.turnId), record),
  ]);
  if (revision === undefined) return undefined;
  await deps.checkpoint("turn.assumed");
  return checkedAgainst(deps, message, { value: record, revision }, resolved);
};

/** Checks a record that an earlier run has stored. Undefined: that run has checked it. */
export const checkAssumed = async (
  deps: IntakeDeps,
  message: TurnMessage,
  found: Stored<TurnRecord>,
  locale: string | undefined,
): Promise<CheckedTurn | undefined> => {
  if (!found.value.assumed || (await hasBegun(deps, found.value))) return undefined;
  return checkedAgainst(deps, message, found, await resolveTurn(deps, message, locale));
};

/** Corrects a stale record. Rejects with RevisionConflict if another process has taken the turn. */
const checkedAgainst = async (
  deps: IntakeDeps,
  message: TurnMessage,
  { value, revision }: Stored<TurnRecord>,
  resolved: ResolvedTurn,
): Promise<CheckedTurn> => {
  const { window } = resolved;
  if (isAsAssumed(value, resolved)) return { record: value, window };
  const record = recordOf(deps, message, resolved);
  await deps.store.put(turnKeyById(message, record.turnId), record, { ifRevision: revision });
  return { record, window };
};

const isAsAssumed = ({ sessionId, audience, asker }: TurnRecord, { window, work }: ResolvedTurn): boolean =>
  sessionId === window.sessionId &&
  audience.personId === work.audience.personId &&
  audience.membership === work.audience.membership &&
  asker.timeZone === work.asker.timeZone &&
  asker.locale === work.asker.locale &&
  asker.causes?.[0]?.speaker === work.asker.causes?.[0]?.speaker;

/** A turn with a result was checked before it ran, so its record is not stale. */
const hasBegun = async ({ history, store }: IntakeDeps, { sessionId, index, turnId }: TurnRecord): Promise<boolean> => {
  const [ended, response] = await Promise.all([
    history.endedTurn(sessionId, index, turnId),
    new Journal(store, turnId, false).response(0),
  ]);
  return ended !== undefined || response !== undefined;
};

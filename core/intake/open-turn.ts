import { AppError } from "../contract/app-error.ts";
import type { TurnMessage } from "../contract/messages/user-message.ts";
import { createOnce } from "../contract/ports/update.ts";
import type { SessionWindow } from "../sessions/index.ts";
import { type TurnRecord, turnKey, turnKeyById } from "../turns/record/index.ts";
import { checkAssumed, openAssumed, resolveFromCache } from "./assumed-turn.ts";
import type { IntakeDeps } from "./intake-deps.ts";
import { recordOf, resolveTurn } from "./resolve-turn.ts";

export interface OpenedTurn {
  readonly record: TurnRecord;
  /** An earlier run of the message exists: its process crashed, or the message is a duplicate. */
  readonly seenBefore: boolean;
  /** The history of the session when the turn was opened. */
  readonly window: SessionWindow;
}

/**
 * Creates or finds the record of the message. The record fixes origin and audience (O2). `locale` is that of the channel,
 * for askers whose own is unknown.
 */
export const openTurn = async (deps: IntakeDeps, message: TurnMessage, locale?: string): Promise<OpenedTurn> => {
  // An exclusive store answers from memory, so an assumption would save nothing.
  const assumed = deps.store.exclusive ? undefined : resolveFromCache(deps, message, locale);
  const opened = await (assumed ? openAssumed(deps, message, assumed, locale) : openResolved(deps, message, locale));
  return opened === undefined ? find(deps, message, locale) : { ...opened, seenBefore: false };
};

/** Undefined: the record exists already. */
const openResolved = async (deps: IntakeDeps, message: TurnMessage, locale: string | undefined) => {
  const resolved = await resolveTurn(deps, message, locale);
  const record = recordOf(deps, message, resolved);
  const revision = await createOnce(deps.store, turnKeyById(message, record.turnId), record);
  return revision === undefined ? undefined : { record, window: resolved.window };
};

const find = async (deps: IntakeDeps, message: TurnMessage, locale: string | undefined): Promise<OpenedTurn> => {
  const found = await deps.store.get(turnKey(message));
  if (found === undefined)
    throw new AppError("conflict", "the record of the message has just expired; the message will be retried");
  const checked = await checkAssumed(deps, message, found, locale);
  if (checked !== undefined) return { ...checked, seenBefore: true };
  const { value: record } = found;
  return { record, window: await deps.history.window(record.sessionId), seenBefore: true };
};

import type { UserMessage } from "../contract/user-message.ts";
import { resolveRepliedTo } from "../delivery/index.ts";
import { captureOrigin } from "../origin/index.ts";
import { type ResolvedAsker, resolveAsker } from "../people/index.ts";
import { type SessionWindow, windowOf } from "../sessions/index.ts";
import { type TurnRecord, turnIdOf } from "../turns/index.ts";
import { editedText } from "./edited-text.ts";
import { inheritedWork } from "./inherited-work.ts";
import type { IntakeParts } from "./intake-parts.ts";

type Work = Pick<
  TurnRecord,
  "origin" | "audience" | "asker" | "correlationId" | "cause" | "continues" | "editedText" | "standing"
>;

/** What a message asks for, and the session that it asks in. */
export interface WorkToDo {
  readonly work: Work;
  readonly window: SessionWindow;
}

export const resolveTurn = async (parts: IntakeParts, message: UserMessage): Promise<WorkToDo> => {
  const { synthetic } = message;
  if (synthetic === undefined) return begin(parts, message);
  const { sessionId, isFirst } = synthetic;
  // If it was taken before after all, that is found with its record, and the history is read then.
  const window = isFirst ? windowOf(sessionId, "", 0, []) : await parts.history.window(sessionId);
  return { window, work: inheritedWork(message, synthetic) };
};

const begin = async (parts: IntakeParts, received: UserMessage): Promise<WorkToDo> => {
  const edited = await editedText(parts.store, received);
  const message = edited === undefined ? received : { ...received, text: edited };
  const [window, person] = await Promise.all([parts.sessions.window(message), resolveAsker(parts, message)]);
  parts.askers.met(message, person);
  // After the asker was met: where they may see something is known from then on.
  const continues = message.command === undefined ? await resolveRepliedTo(parts.store, message) : [];
  const work = {
    ...begun(message, window.sessionId, person),
    ...(edited !== undefined && { editedText: edited }),
    ...(continues.length > 0 && { continues: [...continues] }),
  };
  return { window, work };
};

/**
 * The same as this process last knew it, without a read: of a plain message, and if the store is far away. Undefined if
 * it knows nothing.
 */
export const resolveFromCache = (parts: IntakeParts, message: UserMessage): WorkToDo | undefined => {
  const { synthetic, command, replyTo, conversation, editable = false } = message;
  const isPlain =
    synthetic === undefined && command === undefined && replyTo === undefined && conversation.thread === undefined;
  // The words of an editable one are fixed with its record.
  if (!isPlain || editable || parts.store.exclusive) return undefined;
  const window = parts.sessions.inMemory(message);
  const asker = parts.askers.last(message);
  return window && asker && { window, work: begun(message, window.sessionId, asker) };
};

export const isAsAssumed = (
  { sessionId, audience }: Pick<TurnRecord, "sessionId" | "audience">,
  { window, work }: WorkToDo,
): boolean =>
  sessionId === window.sessionId &&
  audience.personId === work.audience.personId &&
  audience.membership === work.audience.membership;

/** A person's message begins a piece of work, and somebody waits for the answer. */
const begun = (message: UserMessage, sessionId: string, { id: personId, membership }: ResolvedAsker): Work => {
  const { conversation, account, link } = message;
  return {
    origin: captureOrigin(message, sessionId),
    audience: { conversation, personId, accountId: account.id, membership },
    asker: askerFrom(account, personId),
    correlationId: message.id,
    standing: {
      owner: { ownerType: "agent", ownerId: sessionId, ...(link !== undefined && { sessionUri: link }) },
      depth: 0,
      rootTurnId: turnIdOf(message),
      background: false,
    },
  };
};

const askerFrom = ({ id, name, locale, timeZone }: UserMessage["account"], personId: string): TurnRecord["asker"] => ({
  personId,
  accountId: id,
  name,
  ...(locale !== undefined && { locale }),
  ...(timeZone !== undefined && { timeZone }),
});

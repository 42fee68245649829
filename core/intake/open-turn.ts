import { AppError, RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import type { Synthetic } from "../contract/synthetic.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { answeredWork } from "../origin/answered-work.ts";
import { captureOrigin } from "../origin/capture.ts";
import { meetAsker } from "../people/meet-asker.ts";
import type { PersonRecord } from "../people/person-record.ts";
import type { SessionWindow } from "../sessions/session-window.ts";
import { nextIndex } from "../sessions/session-window.ts";
import type { TurnRecord } from "../turns/turn-record.ts";
import { turnIdOf, turnKeyById } from "../turns/turn-record.ts";
import { inheritedWork } from "./inherited-work.ts";
import type { IntakeParts } from "./intake-parts.ts";

export interface OpenedTurn {
  readonly record: TurnRecord;
  /** The message was seen before: by a process that died, or because it came twice. */
  readonly seenBefore: boolean;
  /** What the session remembered when the turn was opened. */
  readonly window: SessionWindow;
}

/** The message's one record: created now, or found. Everything about its origin is fixed from here on (O2). */
export const openTurn = async (parts: IntakeParts, message: UserMessage): Promise<OpenedTurn> => {
  const { store, history, clock } = parts;
  const { synthetic, command } = message;
  const { window, work } =
    synthetic === undefined ? await begin(parts, message) : await goOn(parts, message, synthetic);
  const { sessionId } = window;
  const record: TurnRecord = {
    ...work,
    ...(command && { command: command.name }),
    turnId: turnIdOf(message),
    messageId: message.id,
    sessionId,
    index: nextIndex(window),
    openedAt: isoTime(clock.now()),
    traceId: message.traceId,
  };
  const key = turnKeyById(message, record.turnId);
  try {
    await store.put(key, record, { ifRevision: 0 });
    return { record, seenBefore: false, window };
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
  }
  const found = await store.get(key);
  if (found === undefined) throw new AppError("conflict", "the message's record expired just now; it is run again");
  return { record: found.value, seenBefore: true, window: await history.window(found.value.sessionId) };
};

type Work = Pick<TurnRecord, "origin" | "audience" | "asker" | "correlationId" | "cause" | "continues" | "standing">;

const begin = async (parts: IntakeParts, message: UserMessage) => {
  const [window, person] = await Promise.all([parts.sessions.window(message), meetAsker(parts, message)]);
  // After the asker was met: where they may see something is known from then on.
  const continues = message.command === undefined ? await answeredWork(parts.store, message) : [];
  const work = begun(message, window.sessionId, person);
  return { window, work: continues.length === 0 ? work : { ...work, continues: [...continues] } };
};

const goOn = async ({ history }: IntakeParts, message: UserMessage, synthetic: Synthetic) => ({
  window: await history.window(synthetic.sessionId),
  work: inheritedWork(message, synthetic),
});

/** A person's message begins a piece of work, and somebody waits for the answer. */
const begun = (message: UserMessage, sessionId: string, { id: personId, membership }: PersonRecord): Work => {
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

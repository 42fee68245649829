import { z } from "zod";
import type {
  EditMessage,
  FromPerson,
  PersonMessage,
  SyntheticMessage,
  TurnMessage,
} from "../contract/messages/user-message.ts";
import { isoTime } from "../contract/ports/clock.ts";
import type { Store } from "../contract/ports/store.ts";
import { collection, keyOf } from "../contract/ports/store.ts";
import { update } from "../contract/ports/update.ts";
import { resolveRepliedTo } from "../delivery/index.ts";
import { captureOrigin, causeOf } from "../origin/index.ts";
import { type ResolvedAsker, resolveAsker, resolvedAsker } from "../people/index.ts";
import { revokeExposedCodes } from "../people/linking/index.ts";
import { nextIndex, type SessionWindow, windowOf } from "../sessions/index.ts";
import { urlsIn } from "../turns/index.ts";
import { type TurnRecord, turnIdOf, turnKeyById } from "../turns/record/index.ts";
import type { IntakeDeps } from "./intake-deps.ts";

type Work = Pick<
  TurnRecord,
  | "origin"
  | "audience"
  | "asker"
  | "correlationId"
  | "cause"
  | "continues"
  | "editedText"
  | "revises"
  | "standing"
  | "urls"
>;

/** The work of a message, and the session that it belongs to. */
export interface ResolvedTurn {
  readonly work: Work;
  readonly window: SessionWindow;
}

export const resolveTurn = async (
  deps: IntakeDeps,
  message: TurnMessage,
  locale: string | undefined,
): Promise<ResolvedTurn> => {
  if (message.kind !== "synthetic") return begin(deps, message, locale);
  const { sessionId, isFirst } = message.synthetic;
  // If an earlier run exists after all, openTurn finds its record and reads the history then.
  const window = isFirst ? windowOf(sessionId, "", 0, []) : await deps.history.window(sessionId);
  return { window, work: inheritedWork(message) };
};

const begin = async (deps: IntakeDeps, received: FromPerson, locale: string | undefined): Promise<ResolvedTurn> => {
  // Read only if the platform reports edits. Edits of commands do not count.
  const isEditable = received.kind === "message" && received.editable;
  const edited = isEditable ? await editedText(deps.store, received) : undefined;
  const message = edited === undefined ? received : { ...received, text: edited };
  const [window, person] = await Promise.all([deps.sessions.window(message), resolveAsker(deps, message)]);
  const asker = resolvedAsker(person, message);
  deps.askers.remember(message, asker);
  // Resolving the asker records the conversations that they may see, which the next lookup needs.
  const continues =
    message.kind === "message" && mayContinueWork(message) ? await resolveRepliedTo(deps.store, message) : [];
  const revises = message.kind === "message" ? await revisedTurns(deps, message, window) : undefined;
  const work = {
    ...newWork(message, window.sessionId, asker, locale),
    ...(revises !== undefined && { revises }),
    ...(edited !== undefined && { editedText: edited }),
    ...(continues.length > 0 && { continues: [...continues] }),
  };
  return { window, work };
};

/** Only a reply and a message in a thread can refer to an earlier message of the agent. */
const mayContinueWork = ({ replyTo, conversation }: PersonMessage): boolean =>
  replyTo !== undefined || conversation.thread !== undefined;

/** The record of a turn as it is stored first. */
export const recordOf = ({ clock }: IntakeDeps, message: TurnMessage, { work, window }: ResolvedTurn): TurnRecord => ({
  // V8 stores an object that starts with a spread in a slow form, so the fields of the record come first.
  turnId: turnIdOf(message),
  messageId: message.id,
  sessionId: window.sessionId,
  index: nextIndex(window),
  openedAt: isoTime(clock.now()),
  traceId: message.traceId,
  ...(message.kind === "command" && { command: message.command.name }),
  ...work,
});

/** A person's message begins new work, and the person waits for the answer. */
export const newWork = (
  message: FromPerson,
  sessionId: string,
  asker: ResolvedAsker,
  locale: string | undefined,
): Work => {
  const { conversation, account, link } = message;
  const { id: personId, membership } = asker;
  const urls = urlsIn(message.text);
  return {
    origin: captureOrigin(message, sessionId),
    audience: { conversation, personId, accountId: account.id, membership },
    asker: askerFrom(message, asker, locale),
    correlationId: message.id,
    standing: {
      owner: { ownerType: "agent", ownerId: sessionId, ...(link !== undefined && { sessionUri: link }) },
      depth: 0,
      rootTurnId: turnIdOf(message),
      background: false,
    },
    ...(urls.length > 0 && { urls }),
  };
};

const askerFrom = (
  { conversation: { channel }, account: { id, name } }: FromPerson,
  { id: personId, isIdentified, timeZone, locale: own }: ResolvedAsker,
  ofChannel: string | undefined,
  locale = own ?? ofChannel,
): TurnRecord["asker"] => ({
  personId,
  accountId: id,
  name,
  causes: [{ speaker: isIdentified ? "member" : "anonymous", channel, id }],
  ...(locale !== undefined && { locale }),
  ...(timeZone !== undefined && { timeZone }),
});

/** A continuation keeps the origin and the audience of its work (O2). No user is waiting. */
export const inheritedWork = (
  message: SyntheticMessage,
): Pick<TurnRecord, "origin" | "audience" | "asker" | "cause" | "standing" | "urls"> => {
  const { origin, audience, asker, owner, rootTurnId, background, chain } = message.synthetic;
  const turnId = turnIdOf(message);
  return {
    origin,
    audience,
    asker,
    cause: causeOf(message.synthetic, turnId),
    standing: {
      owner,
      depth: 0,
      rootTurnId: rootTurnId ?? turnId,
      background,
      ...(chain !== undefined && { chain }),
    },
    ...(message.synthetic.type === "task" && message.synthetic.data.urls && { urls: message.synthetic.data.urls }),
  };
};

/** Turns whose tool calls are looked up; earlier ones are too many to read. */
const MAX_TURNS = 50;

/**
 * The turns that a message replaces: the turn of the revised message and all later ones of the session. Undefined: the
 * revised message has no turn in the window, or another account wrote it.
 */
export const revisedTurns = async (
  { store }: Pick<IntakeDeps, "store">,
  message: PersonMessage,
  { from, entries }: SessionWindow,
): Promise<TurnRecord["revises"]> => {
  const { tenant, agent, revises, account } = message;
  if (revises === undefined) return undefined;
  const turnId = turnIdOf({ tenant, agent, id: revises });
  const found = entries.find((entry) => entry.kind === "turn" && entry.turnId === turnId);
  const author = (await store.get(turnKeyById({ tenant, agent }, turnId)))?.value.audience.accountId;
  if (found?.kind !== "turn" || author !== account.id) return undefined;
  // A revision of a revision replaces what that one replaced too.
  const index = Math.min(found.revises?.index ?? Number.POSITIVE_INFINITY, from + entries.indexOf(found));
  const replaced = entries.slice(Math.max(0, index - from));
  const turnIds = replaced.flatMap((entry) => (entry.kind === "turn" ? [entry.turnId] : [])).slice(-MAX_TURNS);
  return { turnId, index, turnIds };
};

/** The edited text of a message. */
const Edit = z.looseObject({ text: z.string(), at: z.iso.datetime() });

/** Longer than any message waits for its turn. */
const ONE_DAY_MS = 24 * 3_600_000;
const edits = collection("edits", Edit, { ttlMs: ONE_DAY_MS });

const editKey = ({ tenant, agent, id }: PersonMessage | EditMessage) => keyOf(edits, tenant, agent, id);

/** Stores the newest text of a message; it counts until the turn of the message begins. */
export const noteEdit = async (store: Store, message: EditMessage): Promise<void> => {
  const { text, sentAt: at } = message;
  if (message.conversation.kind === "shared") await revokeExposedCodes(store, message);
  await update(store, editKey(message), (known) =>
    known !== undefined && Date.parse(known.at) >= Date.parse(at) ? known : { text, at },
  );
};

/** Undefined: the message was not edited. */
export const editedText = async (store: Store, message: PersonMessage): Promise<string | undefined> =>
  (await store.get(editKey(message)))?.value.text;

import { z } from "zod";
import { BoundedCache } from "../contract/bounded-cache.ts";
import type { AgentRef } from "../contract/messages/addresses.ts";
import { type Conversation, conversationKey } from "../contract/messages/conversation.ts";
import { isoTime } from "../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import { update } from "../contract/ports/update.ts";
import { stableId } from "../lib/index.ts";
import type { SessionHistory } from "./session-history.ts";
import type { SessionWindow } from "./session-window.ts";

/** Exists only after a `new`: the first session of a conversation needs no record. */
const SessionRecord = z.looseObject({
  sessionId: z.string(),
  startedAt: z.iso.datetime(),
  /** The sessions before it, oldest first, so that the conversation can be deleted. Absent in data of 0.2.0. */
  earlier: z.array(z.string()).optional(),
});

const sessions = collection("sessions", SessionRecord);

/** Locates the current session of an agent in a conversation. */
export interface SessionAddress extends AgentRef {
  readonly conversation: Conversation;
}

export const sessionKey = ({ tenant, agent, conversation }: SessionAddress) =>
  keyOf(sessions, tenant, agent, conversationKey(conversation));

/** The id of the current session of a conversation. */
export const currentSession = async (store: Store, address: SessionAddress): Promise<string> =>
  (await store.get(sessionKey(address)))?.value.sessionId ?? firstSessionId(address);

/** Derived, so that a first message costs no write. */
export const firstSessionId = ({ tenant, agent, conversation }: SessionAddress): string =>
  stableId("s", tenant, agent, conversationKey(conversation));

/**
 * Ends the session `after` and starts the one that the message `messageId` requests. Idempotent, also if a later session
 * has started since. Rejects with RevisionConflict if another process writes at the same time.
 */
export const startSession = async (
  store: Store,
  address: SessionAddress,
  options: { after: string; messageId: string; now: number },
): Promise<string> => {
  const { tenant, agent, conversation } = address;
  const sessionId = stableId("s", tenant, agent, conversationKey(conversation), options.messageId);
  const stored = await store.get(sessionKey(address));
  const current = stored?.value.sessionId ?? firstSessionId(address);
  if (current === options.after) {
    const earlier = [...(stored?.value.earlier ?? []), options.after].slice(-MAX_EARLIER);
    const record = { sessionId, startedAt: isoTime(options.now), earlier };
    await store.put(sessionKey(address), record, { ifRevision: stored?.revision ?? 0 });
  }
  return sessionId;
};

const MAX_EARLIER = 1_000;

/** The sessions of a conversation before the current one, oldest first. */
export const earlierSessions = async (store: Store, address: SessionAddress): Promise<readonly string[]> =>
  (await store.get(sessionKey(address)))?.value.earlier ?? [];

/** Their data has been deleted. */
export const forgetSessions = async (
  store: Store,
  address: SessionAddress,
  deleted: readonly string[],
): Promise<void> => {
  await update(store, sessionKey(address), (record) =>
    record === undefined
      ? undefined
      : { ...record, earlier: (record.earlier ?? []).filter((sessionId) => !deleted.includes(sessionId)) },
  );
};

interface Known {
  readonly key: ReturnType<typeof sessionKey>;
  readonly first: string;
  readonly latest: string;
}

/**
 * Finds the current session of a conversation and its window. The last known session is read ahead while its record is
 * read. Only the record decides, because another process may have started a new session since.
 */
export class SessionFinder {
  readonly #store: Store;
  readonly #history: SessionHistory;
  readonly #known = new BoundedCache<string, Known>(MAX_KNOWN);

  constructor(store: Store, history: SessionHistory) {
    this.#store = store;
    this.#history = history;
  }

  /** The window in the cache of this process, without a read; it may be stale. */
  inMemory(address: SessionAddress): SessionWindow | undefined {
    const known = this.#known.get(cacheKeyOf(address));
    return known && this.#history.inMemory(known.latest);
  }

  async window(address: SessionAddress): Promise<SessionWindow> {
    const name = cacheKeyOf(address);
    const known = this.#known.get(name) ?? this.#firstOf(name, address);
    const [stored, ahead] = await Promise.all([this.#store.get(known.key), this.#history.window(known.latest)]);
    const sessionId = stored?.value.sessionId ?? known.first;
    if (sessionId === known.latest) return ahead;
    this.#known.set(name, { ...known, latest: sessionId });
    return this.#history.window(sessionId);
  }

  #firstOf(name: string, address: SessionAddress): Known {
    const first = firstSessionId(address);
    const known = { key: sessionKey(address), first, latest: first };
    this.#known.set(name, known);
    return known;
  }
}

const cacheKeyOf = ({ tenant, agent, conversation }: SessionAddress): string =>
  [tenant, agent, conversationKey(conversation)].join("\n");

const MAX_KNOWN = 20_000;

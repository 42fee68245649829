import { conversationKey } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import type { SessionHistory } from "./session-history.ts";
import type { SessionAddress } from "./session-record.ts";
import { firstSessionId, sessionKey } from "./session-record.ts";
import type { SessionWindow } from "./session-window.ts";

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
  readonly #known = new Map<string, Known>();

  constructor(store: Store, history: SessionHistory) {
    this.#store = store;
    this.#history = history;
  }

  /** The window in the cache of this process, without a read; it may be stale. */
  inMemory(address: SessionAddress): SessionWindow | undefined {
    const known = this.#known.get(nameOf(address));
    return known && this.#history.inMemory(known.latest);
  }

  async window(address: SessionAddress): Promise<SessionWindow> {
    const name = nameOf(address);
    const known = this.#known.get(name) ?? this.#remember(name, address);
    const [stored, ahead] = await Promise.all([this.#store.get(known.key), this.#history.window(known.latest)]);
    const sessionId = stored?.value.sessionId ?? known.first;
    if (sessionId === known.latest) return ahead;
    this.#known.set(name, { ...known, latest: sessionId });
    return this.#history.window(sessionId);
  }

  #remember(name: string, address: SessionAddress): Known {
    const first = firstSessionId(address);
    const known = { key: sessionKey(address), first, latest: first };
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(name, known);
    return known;
  }
}

const nameOf = ({ tenant, agent, conversation }: SessionAddress): string =>
  [tenant, agent, conversationKey(conversation)].join("\n");

const MAX_KNOWN = 20_000;

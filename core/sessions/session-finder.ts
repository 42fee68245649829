import { conversationKey } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import { firstSessionId } from "./current-session.ts";
import type { SessionHistory } from "./session-history.ts";
import type { SessionPlace } from "./session-record.ts";
import { sessionKey } from "./session-record.ts";
import type { SessionWindow } from "./session-window.ts";

interface Known {
  readonly key: ReturnType<typeof sessionKey>;
  readonly first: string;
  readonly latest: string;
}

/**
 * The session that a conversation is in now, with what it remembers. The session this process last saw there is read
 * ahead while its record is looked up: only the record decides, for another process may have begun a new one since.
 */
export class SessionFinder {
  readonly #store: Store;
  readonly #history: SessionHistory;
  readonly #known = new Map<string, Known>();

  constructor(store: Store, history: SessionHistory) {
    this.#store = store;
    this.#history = history;
  }

  /** What this process last saw there, without a read: a guess. */
  inMemory(place: SessionPlace): SessionWindow | undefined {
    const known = this.#known.get(nameOf(place));
    return known && this.#history.inMemory(known.latest);
  }

  async window(place: SessionPlace): Promise<SessionWindow> {
    const name = nameOf(place);
    const known = this.#known.get(name) ?? this.#meet(name, place);
    const [stored, ahead] = await Promise.all([this.#store.get(known.key), this.#history.window(known.latest)]);
    const sessionId = stored?.value.sessionId ?? known.first;
    if (sessionId === known.latest) return ahead;
    this.#known.set(name, { ...known, latest: sessionId });
    return this.#history.window(sessionId);
  }

  #meet(name: string, place: SessionPlace): Known {
    const first = firstSessionId(place);
    const known = { key: sessionKey(place), first, latest: first };
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(name, known);
    return known;
  }
}

const nameOf = ({ tenant, agent, conversation }: SessionPlace): string =>
  [tenant, agent, conversationKey(conversation)].join("\n");

const MOST_KNOWN = 20_000;

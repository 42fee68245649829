import type { Store } from "../contract/store.ts";
import { firstSessionId } from "./current-session.ts";
import type { SessionHistory } from "./session-history.ts";
import type { SessionPlace } from "./session-record.ts";
import { sessionKey } from "./session-record.ts";
import type { SessionWindow } from "./session-window.ts";

interface Known {
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

  async window(place: SessionPlace): Promise<SessionWindow> {
    const key = sessionKey(place);
    const known = this.#known.get(key.spelled) ?? this.#meet(key.spelled, place);
    const [stored, ahead] = await Promise.all([this.#store.get(key), this.#history.window(known.latest)]);
    const sessionId = stored?.value.sessionId ?? known.first;
    if (sessionId === known.latest) return ahead;
    this.#known.set(key.spelled, { ...known, latest: sessionId });
    return this.#history.window(sessionId);
  }

  #meet(spelled: string, place: SessionPlace): Known {
    const first = firstSessionId(place);
    const known = { first, latest: first };
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(spelled, known);
    return known;
  }
}

const MOST_KNOWN = 20_000;

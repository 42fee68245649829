import { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { collection, keyOf, keyParts, prefixOf, type Store } from "../../../core/contract/ports/store.ts";
import { DELETE, update } from "../../../core/contract/ports/update.ts";
import { MAIN, newThreadId, type RoomAddress } from "./room-address.ts";

const Listed = z.looseObject({
  /** "main", or the id of a conversation beside it. */
  id: z.string(),
  /** The visitor's own title, or the first words of the conversation. */
  title: z.string().optional(),
  createdAt: z.number(),
  /** Time of the latest message of either side. */
  changedAt: z.number(),
  /** The last `seq` of a message of the agent, and the last that the visitor has read. */
  seq: z.int().nonnegative(),
  read: z.int().nonnegative(),
  /** The visitor has deleted it, at this time and with this account; its data may still be there. */
  deleting: z.looseObject({ at: z.number(), name: z.string(), anonymous: z.literal(true).optional() }).optional(),
});
export type Listed = z.infer<typeof Listed>;
export type Deletion = NonNullable<Listed["deleting"]>;

/** All conversations of a visitor in one record, so that a list takes one read and a change one compare-and-set. */
const ConversationRecord = z.looseObject({ items: z.array(Listed) });

const records = collection("web-conversations", ConversationRecord);

export interface ConversationListDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly channel: string;
  readonly newId: () => string;
  /** A conversation without a message for this long is in no list; its log has expired. */
  readonly retentionMs: number;
}

/** The conversations of all visitors of a channel. A visitor without a record has only the main one. */
export class ConversationList {
  readonly #deps: ConversationListDeps;

  constructor(deps: ConversationListDeps) {
    this.#deps = deps;
  }

  /** Without those that are being deleted. */
  async of(visitor: string): Promise<readonly Listed[]> {
    return (await this.#items(visitor)).filter(({ deleting }) => deleting === undefined);
  }

  /** Whether a conversation exists; the main one always does. */
  async has({ visitor, thread }: RoomAddress): Promise<boolean> {
    return thread === undefined || (await this.of(visitor)).some(({ id }) => id === thread);
  }

  /**
   * A new conversation, or the one that the visitor has started and not used yet: a retry adds no second one. They leave
   * the main one, so everything up to `mainSeq` counts as read there.
   */
  async start(visitor: string, mainSeq: number): Promise<Listed> {
    const now = this.#deps.clock.now();
    const started: Listed = {
      id: newThreadId(now, this.#deps.newId()),
      createdAt: now,
      changedAt: now,
      seq: 0,
      read: 0,
    };
    let found = started;
    await this.#change(visitor, (items) => {
      const unused = items.find((item) => isUnused(item) && item.deleting === undefined);
      found = unused ?? started;
      if (unused !== undefined) return items;
      const hasMain = items.some(({ id }) => id === MAIN);
      const main: Listed = { id: MAIN, createdAt: 0, changedAt: 0, seq: 0, read: mainSeq };
      if (items.length < MAX_CONVERSATIONS) return [...items, ...(hasMain ? [] : [main]), started];
      throw new AppError(
        "bad-input",
        `you have ${MAX_CONVERSATIONS} conversations, which is the limit: delete one first`,
      );
    });
    return found;
  }

  rename(visitor: string, id: string, title: string): Promise<void> {
    return this.#edit(visitor, id, (item) => ({ ...item, title }));
  }

  markRead(visitor: string, id: string, seq: number): Promise<void> {
    return this.#edit(visitor, id, (item) => (seq > item.read ? { ...item, read: seq } : item));
  }

  /** From here on the conversation is in no list, and gets no messages. Returns an earlier deletion that has not ended. */
  async beginDeletion(visitor: string, id: string, deletion: Deletion): Promise<Deletion> {
    const begun = (await this.#items(visitor)).find((item) => item.id === id)?.deleting;
    if (begun !== undefined) return begun;
    await this.#edit(visitor, id, (item) => ({ ...item, deleting: deletion }));
    return deletion;
  }

  /** All data is deleted. */
  async endDeletion(visitor: string, id: string): Promise<void> {
    await this.#change(visitor, (items) => items.filter((item) => item.id !== id || item.deleting === undefined));
  }

  /** The deletions that a stopped process has left. Scans the channel, so it runs at the start only. */
  async *unfinishedDeletions(): AsyncIterable<{ visitor: string; id: string; deletion: Deletion }> {
    for await (const { key, value } of this.#deps.store.list(prefixOf(records, this.#deps.channel))) {
      const [, visitor = ""] = keyParts(key);
      for (const { id, deleting } of value.items) if (deleting !== undefined) yield { visitor, id, deletion: deleting };
    }
  }

  /** A message is in the log. The main conversation has an entry only if the visitor has others. */
  async noteMessage({ visitor, thread }: RoomAddress, message: NotedMessage): Promise<void> {
    if (thread === undefined) return;
    await this.#change(visitor, (items) =>
      items.map((item) => (item.id === thread && item.deleting === undefined ? noted(item, message) : item)),
    );
  }

  /** Throws "not-found" for an id that is not the visitor's. */
  #edit(visitor: string, id: string, edit: (item: Listed) => Listed): Promise<void> {
    return this.#change(visitor, (items) => {
      const known = items.find((item) => item.id === id);
      if (known?.deleting || (known === undefined && id !== MAIN))
        throw new AppError("not-found", "you have no such conversation");
      const before = known ?? { id, createdAt: 0, changedAt: 0, seq: 0, read: 0 };
      const after = edit(before);
      if (after === before) return items;
      return [...items.filter((item) => item.id !== id), after];
    });
  }

  async #items(visitor: string): Promise<readonly Listed[]> {
    const stored = await this.#deps.store.get(keyOf(records, this.#deps.channel, visitor));
    return this.#unexpired(stored?.value.items ?? []);
  }

  #unexpired(items: Listed[]): Listed[] {
    const since = this.#deps.clock.now() - this.#deps.retentionMs;
    const isOld = ({ id, changedAt, deleting }: Listed) => id !== MAIN && deleting === undefined && changedAt < since;
    return items.some(isOld) ? items.filter((item) => !isOld(item)) : items;
  }

  async #change(visitor: string, change: (items: Listed[]) => Listed[]): Promise<void> {
    const { store, channel, retentionMs } = this.#deps;
    const changed = (stored: z.infer<typeof ConversationRecord> | undefined) => {
      const before = stored?.items ?? [];
      const items = change(this.#unexpired(before));
      if (items === before) return stored;
      return items.length === 0 ? DELETE : { ...stored, items };
    };
    await update(store, keyOf(records, channel, visitor), changed, { ttlMs: retentionMs });
  }
}

export interface NotedMessage {
  readonly seq: number;
  readonly at: number;
  /** The text of a message of the visitor; absent: the agent wrote it. */
  readonly said?: string | undefined;
}

/** The author of a message has read everything before it. */
const noted = (item: Listed, { seq, at, said }: NotedMessage): Listed => {
  const changedAt = Math.max(item.changedAt, at);
  if (said === undefined) return { ...item, changedAt, seq: Math.max(item.seq, seq) };
  const title = item.title ?? titleOf(said);
  return { ...item, changedAt, read: Math.max(item.read, seq), ...(title !== "" && { title }) };
};

const isUnused = ({ id, title, seq, read }: Listed): boolean =>
  id !== MAIN && title === undefined && seq === 0 && read === 0;

/** The first words of a message, at most MAX_TITLE_LENGTH characters. */
const titleOf = (said: string): string => shortTitle(said.startsWith("/") ? "" : said);

/** A title on one line; text beyond the limit is cut between words where that is possible. */
export const shortTitle = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  const graphemes = [...new Intl.Segmenter().segment(line.slice(0, 4 * MAX_TITLE_LENGTH))].map(
    ({ segment }) => segment,
  );
  if (graphemes.length <= MAX_TITLE_LENGTH) return graphemes.join("");
  const cut = graphemes.slice(0, MAX_TITLE_LENGTH - 1).join("");
  const atWord = cut.lastIndexOf(" ");
  return `${atWord > cut.length / 2 ? cut.slice(0, atWord) : cut}…`;
};

export const MAX_TITLE_LENGTH = 60;
const MAX_CONVERSATIONS = 200;

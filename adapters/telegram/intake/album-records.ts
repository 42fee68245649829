import { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import { collection, type Key, keyOf, type Store } from "../../../core/contract/ports/store.ts";
import { update } from "../../../core/contract/ports/update.ts";
import { TelegramMessage } from "../payload.ts";

/** A batch is one message for the agent, and its composition never changes. */
const Batch = z.looseObject({ ids: z.array(z.number().int()), isDone: z.boolean() });
const Album = z.looseObject({
  /** Without those of finished batches, whose content must not stay here. */
  messages: z.array(TelegramMessage),
  batches: z.array(Batch),
});
type Album = z.infer<typeof Album>;

/** Telegram repeats an update that was not acknowledged for a day. */
const ALBUM_TTL_MS = 2 * 24 * 3_600_000;
const albums = collection("telegram-albums", Album, { ttlMs: ALBUM_TTL_MS });

const EMPTY: Album = { messages: [], batches: [] };

type Messages = readonly [TelegramMessage, ...TelegramMessage[]];

/**
 * Telegram sends each file of an album as an update of its own, to any gateway, and repeats some of them after a crash.
 * The record assigns each update to one batch, so that none is taken twice or lost.
 */
export class AlbumRecords {
  readonly #channel: string;
  readonly #store: Store;

  constructor(channel: string, store: Store) {
    this.#channel = channel;
    this.#store = store;
  }

  /** Stores messages of one album until they are taken. False if they are too large for a record. */
  async note(messages: Messages): Promise<boolean> {
    try {
      await update(
        this.#store,
        this.#keyOf(messages[0]),
        (album) => {
          const isNew = ({ message_id: id }: TelegramMessage) =>
            !album.messages.some((known) => known.message_id === id) && batchOf(album, id) === undefined;
          const added = messages.filter(isNew);
          return added.length === 0 ? album : { ...album, messages: [...album.messages, ...added] };
        },
        { initial: EMPTY },
      );
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === "too-large") return false;
      throw error;
    }
  }

  /** Takes the batches of these messages, together with messages that arrived elsewhere. Resolves once all are taken. */
  async take(messages: Messages, takeBatch: (batch: Messages) => Promise<void>): Promise<void> {
    if (!(await this.note(messages))) return takeBatch(messages);
    const key = this.#keyOf(messages[0]);
    const { after: album } = await update(this.#store, key, withPendingBatch, { initial: EMPTY });
    const open = new Set(messages.map(({ message_id: id }) => batchOf(album, id)));
    for (const batch of open) {
      if (batch === undefined || batch.isDone) continue;
      const [first, ...others] = album.messages
        .filter(({ message_id: id }) => batch.ids.includes(id))
        .toSorted((a, b) => a.message_id - b.message_id);
      if (first !== undefined) await takeBatch([first, ...others]);
      await update(this.#store, key, (now) => now && withDone(now, batch.ids));
    }
  }

  #keyOf({ chat, media_group_id: album = "" }: TelegramMessage): Key<Album> {
    return keyOf(albums, this.#channel, String(chat.id), album);
  }
}

const batchOf = ({ batches }: Album, id: number) => batches.find(({ ids }) => ids.includes(id));

const withPendingBatch = (album: Album): Album => {
  const ids = album.messages.map(({ message_id: id }) => id).filter((id) => batchOf(album, id) === undefined);
  return ids.length === 0 ? album : { ...album, batches: [...album.batches, { ids, isDone: false }] };
};

const withDone = ({ messages, batches }: Album, ids: readonly number[]): Album => ({
  messages: messages.filter(({ message_id: id }) => !ids.includes(id)),
  batches: batches.map((batch) => (batch.ids[0] === ids[0] ? { ...batch, isDone: true } : batch)),
});

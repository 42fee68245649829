import type { Clock, Timer } from "../../../core/contract/ports/clock.ts";
import type { Update } from "../payload.ts";
import type { AlbumRecords } from "./album-records.ts";

/** The album that an update belongs to: Telegram sends each of its files as a message. */
export const albumOf = ({ message }: Update): string | undefined =>
  message?.media_group_id === undefined ? undefined : `${message.chat.id}/${message.media_group_id}`;

/** The updates in order; those of one album together. */
export const grouped = (updates: readonly Update[]): Update[][] => {
  const groups: Update[][] = [];
  for (const update of updates) {
    const album = albumOf(update);
    const open = groups.at(-1);
    if (album !== undefined && open?.[0] !== undefined && albumOf(open[0]) === album) open.push(update);
    else groups.push([update]);
  }
  return groups;
};

interface OpenAlbum {
  readonly updates: Update[];
  readonly taken: Promise<void>;
  readonly close: () => void;
  timer: Timer;
}

export interface AlbumsDeps {
  readonly clock: Clock;
  readonly waitMs: number;
  /** Other gateways may get messages of the same album: this one must see them in the record. */
  readonly records: Pick<AlbumRecords, "note">;
  take(updates: readonly Update[]): Promise<void>;
}

/** Joins the messages of an album that arrive as separate requests. All of them are acknowledged, or none. */
export class Albums {
  readonly #deps: AlbumsDeps;
  readonly #open = new Map<string, OpenAlbum>();

  constructor(deps: AlbumsDeps) {
    this.#deps = deps;
  }

  async take(update: Update): Promise<void> {
    const { clock, waitMs, records, take } = this.#deps;
    const album = albumOf(update);
    if (album === undefined || update.message === undefined) return take([update]);
    await records.note([update.message]);
    const open = this.#open.get(album) ?? this.#begin(album);
    open.updates.push(update);
    open.timer.cancel();
    open.timer = clock.after(waitMs, open.close);
    return open.taken;
  }

  #begin(album: string): OpenAlbum {
    const updates: Update[] = [];
    let close = () => {};
    const complete = new Promise<void>((resolve) => {
      close = resolve;
    });
    const taken = complete.then(() => {
      this.#open.delete(album);
      // Requests in parallel arrive in any order.
      return this.#deps.take(updates.toSorted((a, b) => a.update_id - b.update_id));
    });
    const open = { updates, taken, close, timer: { cancel() {} } };
    this.#open.set(album, open);
    return open;
  }
}

import { Readable } from "node:stream";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import { keyParts, type Store } from "../../../core/contract/ports/store.ts";
import { DELETE, update } from "../../../core/contract/ports/update.ts";
import type { WebLimits } from "../config.ts";
import { CHUNK_BYTES, chunkKey, filesOfChannel, type StoredFile, visitorFilesKey } from "./file-record.ts";

export interface VisitorFilesDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly channel: string;
  readonly ttlMs: number;
  readonly limits: Pick<WebLimits, "filesPerVisitor" | "fileBytesPerVisitor" | "unattachedFileMinutes">;
  readonly newId: () => string;
}

type Upload = Pick<StoredFile, "name" | "mediaType"> & { readonly body: Buffer };

/**
 * Files that visitors have uploaded, stored in chunks so that every gateway can read them. A file that no message
 * attaches in time is deleted, and so are the chunks of an interrupted upload.
 */
export class VisitorFiles {
  readonly #deps: VisitorFilesDeps;
  /** When each visitor's unattached files are due for deletion, in that order. */
  readonly #dueAt = new Map<string, number>();

  constructor(deps: VisitorFilesDeps) {
    this.#deps = deps;
  }

  /** Reserves space within the visitor's limits, stores the chunks, then marks the file as whole. */
  async save(visitor: string, { name, mediaType, body }: Upload): Promise<StoredFile> {
    const { store, clock, channel, ttlMs, newId } = this.#deps;
    const createdAt = clock.now();
    const id = `f-${newId()}`;
    const times = { createdAt, expiresAt: createdAt + ttlMs };
    const file = { id, name, mediaType, bytes: body.length, ...times, isWhole: false, isAttached: false };
    await this.#change(visitor, (files) => this.#withRoomFor(files, file));
    this.#watch(visitor, createdAt);
    try {
      for (const [index, chunk] of chunksOf(body).entries()) {
        await store.put(chunkKey(channel, visitor, id, index), { base64: chunk.toString("base64") }, { ttlMs });
      }
    } catch (error) {
      await this.#remove(visitor, file).catch(() => undefined);
      throw error;
    }
    const whole = { ...file, isWhole: true };
    await this.#change(visitor, (files) => files.map((other) => (other.id === id ? whole : other)));
    return whole;
  }

  /** In the order of `ids`; undefined for a file of another visitor, an expired or an unknown one. */
  async find(visitor: string, ids: readonly string[]): Promise<(StoredFile | undefined)[]> {
    const stored = await this.#deps.store.get(visitorFilesKey(this.#deps.channel, visitor));
    const now = this.#deps.clock.now();
    const readable = stored?.value.files.filter((file) => file.isWhole && this.#isLive(file, now)) ?? [];
    return ids.map((id) => readable.find((file) => file.id === id));
  }

  /** Keeps the files until they expire. */
  attach(visitor: string, ids: readonly string[]): Promise<void> {
    return this.#change(visitor, (files) =>
      files.map((file) => (ids.includes(file.id) ? { ...file, isAttached: true } : file)),
    );
  }

  /** Deletes files before they expire; unknown ids are ignored. */
  async delete(visitor: string, ids: readonly string[]): Promise<void> {
    for (const file of await this.find(visitor, ids)) if (file !== undefined) await this.#remove(visitor, file);
  }

  async read(visitor: string, file: StoredFile): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.#piecesOf(visitor, file)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** A stream that reads one chunk at a time. Rejects if the file has expired. */
  async open(visitor: string, file: StoredFile): Promise<Readable> {
    const pieces = this.#piecesOf(visitor, file);
    const first = await pieces.next();
    const all = async function* () {
      if (!first.done) yield first.value;
      yield* pieces;
    };
    return Readable.from(all(), { objectMode: false });
  }

  /** At the start: finds unattached files of earlier processes. */
  async findUnattached(): Promise<void> {
    const { store, channel, logger } = this.#deps;
    try {
      for await (const { key, value } of store.list(filesOfChannel(channel))) {
        const oldest = value.files.find(({ isAttached }) => !isAttached);
        const visitor = keyParts(key).at(-1);
        if (oldest !== undefined && visitor !== undefined) this.#watch(visitor, oldest.createdAt);
      }
    } catch (error) {
      logger.warn({ channel, error: messageOf(error) }, "could not list unattached files; they stay until they expire");
    }
  }

  /** Called about once a second; deletes the files that are due. */
  async dropUnattached(): Promise<void> {
    const now = this.#deps.clock.now();
    for (const [visitor, dueAt] of this.#dueAt) {
      if (now < dueAt) continue;
      this.#dueAt.delete(visitor);
      try {
        await this.#change(visitor, (files) => [...files]);
      } catch (error) {
        const { channel, logger } = this.#deps;
        logger.warn({ channel, error: messageOf(error) }, "could not delete unattached files, retrying");
        this.#dueAt.set(visitor, now + RETRY_MS);
      }
    }
  }

  #watch(visitor: string, createdAt: number): void {
    const dueAt = createdAt + this.#unattachedMs;
    // The later due time wins, so one pass deletes both files.
    this.#dueAt.set(visitor, Math.max(dueAt, this.#dueAt.get(visitor) ?? 0));
  }

  async *#piecesOf(visitor: string, { id, bytes }: StoredFile): AsyncGenerator<Buffer> {
    const { store, channel } = this.#deps;
    for (let index = 0; index < Math.ceil(bytes / CHUNK_BYTES); index++) {
      const chunk = await store.get(chunkKey(channel, visitor, id, index));
      if (chunk === undefined) throw new AppError("not-found", "the file has expired; upload it again");
      yield Buffer.from(chunk.value.base64, "base64");
    }
  }

  #withRoomFor(files: readonly StoredFile[], file: StoredFile): StoredFile[] {
    const { filesPerVisitor, fileBytesPerVisitor } = this.#deps.limits;
    const bytes = files.reduce((sum, other) => sum + other.bytes, file.bytes);
    if (files.length >= filesPerVisitor || bytes > fileBytesPerVisitor) {
      const megabytes = Math.floor(fileBytesPerVisitor / 1_000_000);
      throw new AppError(
        "rate-limited",
        `you can store at most ${filesPerVisitor} files and ${megabytes} MB; retry when earlier files have expired`,
      );
    }
    return [...files, file];
  }

  async #remove(visitor: string, file: StoredFile): Promise<void> {
    // Chunks first: after a crash, the record still names them.
    await this.#deleteChunks(visitor, file);
    await this.#change(visitor, (files) => files.filter(({ id }) => id !== file.id));
  }

  /** Changes the record, which drops expired files, then deletes the chunks of the dropped files. */
  async #change(visitor: string, change: (files: readonly StoredFile[]) => StoredFile[]): Promise<void> {
    const { store, clock, channel, ttlMs } = this.#deps;
    const now = clock.now();
    const { before } = await update(
      store,
      visitorFilesKey(channel, visitor),
      (stored) => {
        const files = change(stored?.files.filter((file) => this.#isLive(file, now)) ?? []);
        return files.length > 0 ? { files } : DELETE;
      },
      { ttlMs },
    );
    for (const file of before?.files ?? []) if (!this.#isLive(file, now)) await this.#deleteChunks(visitor, file);
  }

  async #deleteChunks(visitor: string, { id, bytes }: StoredFile): Promise<void> {
    const { store, channel } = this.#deps;
    for (let index = 0; index < Math.ceil(bytes / CHUNK_BYTES); index++) {
      await store.delete(chunkKey(channel, visitor, id, index));
    }
  }

  get #unattachedMs(): number {
    return this.#deps.limits.unattachedFileMinutes * 60_000;
  }

  #isLive({ isAttached, createdAt, expiresAt }: StoredFile, now: number): boolean {
    return now < expiresAt && (isAttached || now < createdAt + this.#unattachedMs);
  }
}

const chunksOf = (body: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(body.length / CHUNK_BYTES) }, (_, index) =>
    body.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );

const RETRY_MS = 60_000;

import { Readable } from "node:stream";
import { AppError, RevisionConflict } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { Store } from "../../core/contract/store.ts";
import { CHUNK_BYTES, chunkKey, type StoredFile, visitorFilesKey } from "./file-record.ts";
import type { WebLimits } from "./limits.ts";

export interface FileParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly channel: string;
  readonly lifeMs: number;
  readonly limits: Pick<WebLimits, "filesPerVisitor" | "fileBytesPerVisitor">;
  readonly newId: () => string;
}

type Upload = Pick<StoredFile, "name" | "mediaType"> & { readonly body: Buffer };

/** An upload that was not whole by then has been given up. */
const UPLOAD_WITHIN_MS = 10 * 60_000;

/** What visitors have uploaded, where every gateway finds it: in pieces that the store takes. */
export class VisitorFiles {
  readonly #parts: FileParts;

  constructor(parts: FileParts) {
    this.#parts = parts;
  }

  /** First a place within the visitor's limits, then the bytes, then the word that they are whole. */
  async save(visitor: string, { name, mediaType, body }: Upload): Promise<StoredFile> {
    const { store, clock, channel, lifeMs, newId } = this.#parts;
    const createdAt = clock.now();
    const id = `f-${newId()}`;
    const file = { id, name, mediaType, bytes: body.length, createdAt, expiresAt: createdAt + lifeMs, isWhole: false };
    await this.#change(visitor, (files) => this.#withPlaceFor(files, file));
    try {
      for (const [index, chunk] of chunksOf(body).entries()) {
        await store.put(chunkKey(channel, visitor, id, index), { base64: chunk.toString("base64") }, { ttlMs: lifeMs });
      }
    } catch (error) {
      await this.#change(visitor, (files) => files.filter((other) => other.id !== id)).catch(() => undefined);
      throw error;
    }
    const whole = { ...file, isWhole: true };
    await this.#change(visitor, (files) => files.map((other) => (other.id === id ? whole : other)));
    return whole;
  }

  /** Of all that the visitor has, in the order asked for; undefined for what is another's, has expired, or never was. */
  async find(visitor: string, ids: readonly string[]): Promise<(StoredFile | undefined)[]> {
    const stored = await this.#parts.store.get(visitorFilesKey(this.#parts.channel, visitor));
    const now = this.#parts.clock.now();
    const there = stored?.value.files.filter(({ isWhole, expiresAt }) => isWhole && now < expiresAt) ?? [];
    return ids.map((id) => there.find((file) => file.id === id));
  }

  async read(visitor: string, file: StoredFile): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.#piecesOf(visitor, file)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Its bytes, a piece at a time as they are read. Rejects if it is gone already. */
  async open(visitor: string, file: StoredFile): Promise<Readable> {
    const pieces = this.#piecesOf(visitor, file);
    const first = await pieces.next();
    const all = async function* () {
      if (!first.done) yield first.value;
      yield* pieces;
    };
    return Readable.from(all(), { objectMode: false });
  }

  async *#piecesOf(visitor: string, { id, bytes }: StoredFile): AsyncGenerator<Buffer> {
    const { store, channel } = this.#parts;
    for (let index = 0; index < Math.ceil(bytes / CHUNK_BYTES); index++) {
      const chunk = await store.get(chunkKey(channel, visitor, id, index));
      if (chunk === undefined) throw new AppError("not-found", "the file has expired; upload it again");
      yield Buffer.from(chunk.value.base64, "base64");
    }
  }

  #withPlaceFor(files: readonly StoredFile[], file: StoredFile): StoredFile[] {
    const { filesPerVisitor, fileBytesPerVisitor } = this.#parts.limits;
    const bytes = files.reduce((sum, other) => sum + other.bytes, file.bytes);
    if (files.length >= filesPerVisitor || bytes > fileBytesPerVisitor) {
      const megabytes = Math.floor(fileBytesPerVisitor / 1_000_000);
      throw new AppError(
        "rate-limited",
        `at most ${filesPerVisitor} files and ${megabytes} MB at a time; earlier ones make room when they expire`,
      );
    }
    return [...files, file];
  }

  async #change(visitor: string, change: (files: readonly StoredFile[]) => StoredFile[]): Promise<void> {
    const { store, clock, channel, lifeMs } = this.#parts;
    const key = visitorFilesKey(channel, visitor);
    for (;;) {
      const stored = await store.get(key);
      const now = clock.now();
      const files = change((stored?.value.files ?? []).filter((file) => isKept(file, now)));
      try {
        await store.put(key, { files }, { ifRevision: stored?.revision ?? 0, ttlMs: lifeMs });
        return;
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
      }
    }
  }
}

const isKept = ({ isWhole, createdAt, expiresAt }: StoredFile, now: number): boolean =>
  now < expiresAt && (isWhole || now < createdAt + UPLOAD_WITHIN_MS);

const chunksOf = (body: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(body.length / CHUNK_BYTES) }, (_, index) =>
    body.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );

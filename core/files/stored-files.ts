import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import type { FileRef } from "../contract/file-ref.ts";
import { RETENTION_MS } from "../contract/ports/bus.ts";
import type { Logger } from "../contract/ports/logger.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import type { ToolFile } from "../contract/tool.ts";
import { stableId } from "../lib/index.ts";
import { isReceivedFile, readBytes } from "./received/index.ts";

/** In base64 a chunk stays below the size limit of a stored value. */
const CHUNK_BYTES = 300_000;
export const MAX_FILE_BYTES = 8_000_000;

/** Files expire with the turns that made them. */
const chunks = collection("file-chunks", z.looseObject({ data: z.base64() }), { ttlMs: RETENTION_MS });

/** Stores a file in chunks. A repeat with the same id replaces it. */
export const storeFile = async (store: Store, id: string, { name, mediaType, bytes }: ToolFile): Promise<FileRef> => {
  if (bytes.length > MAX_FILE_BYTES) {
    throw new AppError("too-large", `"${name}" has ${bytes.length} bytes; at most ${MAX_FILE_BYTES} are stored`);
  }
  for (let index = 0; index * CHUNK_BYTES < bytes.length; index++) {
    const chunk = Buffer.from(bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES));
    await store.put(keyOf(chunks, id, String(index)), { data: chunk.toString("base64") });
  }
  return { id, name, mediaType, bytes: bytes.length };
};

/**
 * Stores the files that another agent sent, under ids made of the given one, so that a repeat replaces them. A file that
 * cannot be stored is left out: the text of the answer names it.
 */
export const storeReceived = async (
  { store, logger }: { readonly store: Store; readonly logger: Logger },
  id: string,
  files: readonly ToolFile[],
): Promise<FileRef[]> => {
  const stored: FileRef[] = [];
  for (const [index, file] of files.entries()) {
    try {
      stored.push(await storeFile(store, stableId("file", id, String(index)), file));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "too-large") throw error;
      logger.warn({ mediaType: file.mediaType, bytes: file.bytes.length }, "file of another agent is too large");
    }
  }
  return stored;
};

/** The chunks of a file, one read at a time. Ends early if the file has expired. */
async function* chunksOf(store: Store, { id, bytes }: FileRef): AsyncGenerator<Buffer> {
  for (let index = 0; index * CHUNK_BYTES < bytes; index++) {
    const chunk = await store.get(keyOf(chunks, id, String(index)));
    if (chunk === undefined) return;
    yield Buffer.from(chunk.value.data, "base64");
  }
}

/** Streams a file. Undefined if it has expired; a file that expires meanwhile breaks the stream off. */
export const openFile = async (store: Store, file: FileRef): Promise<AsyncIterable<Buffer> | undefined> => {
  const rest = chunksOf(store, file);
  const first = await rest.next();
  if (first.done && file.bytes > 0) return undefined;
  return (async function* () {
    let left = file.bytes;
    if (!first.done) {
      left -= first.value.length;
      yield first.value;
    }
    for await (const chunk of rest) {
      left -= chunk.length;
      yield chunk;
    }
    if (left !== 0) throw new AppError("not-found", "the file has expired");
  })();
};

/** Undefined if the file has expired. */
export const readFile = async (store: Store, { id, bytes }: FileRef): Promise<Uint8Array | undefined> => {
  if (isReceivedFile(id)) return readBytes(store, { id, bytes });
  const count = Math.ceil(bytes / CHUNK_BYTES);
  const read = await Promise.all(
    Array.from({ length: count }, (_, index) => store.get(keyOf(chunks, id, String(index)))),
  );
  const parts = read.flatMap((chunk) => (chunk === undefined ? [] : [Buffer.from(chunk.value.data, "base64")]));
  const whole = Buffer.concat(parts);
  return whole.length === bytes ? whole : undefined;
};

import { z } from "zod";
import type { FileRef } from "../../contract/file-ref.ts";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";
import { FileProblem } from "../../contract/texts/file-problem.ts";
import { stableId } from "../../lib/index.ts";

/** The record of a file that a person has sent. "fetched": its bytes are stored, and its text is not read yet. */
export const ReceivedFile = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  /** By its bytes, never by its name. */
  mediaType: z.string(),
  /** The type in words, such as "PDF". */
  label: z.string(),
  bytes: z.int().nonnegative(),
  state: z.enum(["fetched", "ready", "failed"]),
  kind: z.enum(["image", "text"]).optional(),
  /** The length of its text. */
  chars: z.int().nonnegative().optional(),
  pages: z.int().nonnegative().optional(),
  pagesRead: z.int().nonnegative().optional(),
  /** The document has more text than was stored. */
  isCut: z.boolean().optional(),
  /** Why it cannot be read: an English sentence. */
  problem: z.string().optional(),
  /** The same for its sender, in their language. Absent in records of older processes. */
  why: FileProblem.optional().catch(undefined),
});
export type ReceivedFile = z.infer<typeof ReceivedFile>;

const ttl = { ttlMs: RETENTION_MS };
const records = collection("received-files", ReceivedFile, ttl);
const chunks = collection("received-chunks", z.looseObject({ data: z.base64() }), ttl);
const texts = collection("received-texts", z.looseObject({ text: z.string() }), ttl);

const PREFIX = "in";
/** In base64 a chunk stays below the size limit of a stored value. */
const CHUNK_BYTES = 300_000;
/** Also as JSON with escapes, a piece stays below that limit. */
const PIECE_CHARS = 60_000;

/** Deterministic: a redelivered message has the same files. */
export const receivedFileId = ({ tenant, agent, id }: AgentRef & { readonly id: string }, index: number): string =>
  stableId(PREFIX, tenant, agent, id, String(index));

export const isReceivedFile = (id: string): boolean => id.startsWith(`${PREFIX}-`);

export const receivedFileKey = (id: string) => keyOf(records, id);

export const findReceived = async (store: Store, id: string): Promise<ReceivedFile | undefined> =>
  (await store.get(receivedFileKey(id)))?.value;

/** The record of a file that has arrived; otherwise the given one becomes its record, and a later arrival is ignored. */
export const settleReceived = async (store: Store, missing: ReceivedFile): Promise<ReceivedFile> => {
  const { after } = await update(store, receivedFileKey(missing.id), (known) =>
    known === undefined || known.state === "fetched" ? missing : known,
  );
  return after ?? missing;
};

export const refOf = ({ id, name, mediaType, bytes }: ReceivedFile): FileRef => ({ id, name, mediaType, bytes });

export const storeBytes = async (store: Store, id: string, bytes: Uint8Array, ttlMs: number): Promise<void> => {
  for (let index = 0; index * CHUNK_BYTES < bytes.length; index++) {
    const chunk = Buffer.from(bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES));
    await store.put(keyOf(chunks, id, String(index)), { data: chunk.toString("base64") }, { ttlMs });
  }
};

/** Undefined if the file has expired. */
export const readBytes = async (
  store: Store,
  { id, bytes }: Pick<FileRef, "id" | "bytes">,
): Promise<Buffer | undefined> => {
  const parts: Buffer[] = [];
  for (let index = 0; index * CHUNK_BYTES < bytes; index++) {
    const chunk = await store.get(keyOf(chunks, id, String(index)));
    if (chunk === undefined) return undefined;
    parts.push(Buffer.from(chunk.value.data, "base64"));
  }
  const whole = Buffer.concat(parts);
  return whole.length === bytes ? whole : undefined;
};

export const storeText = async (store: Store, id: string, text: string, ttlMs: number): Promise<void> => {
  for (let index = 0; index * PIECE_CHARS < text.length; index++) {
    const piece = text.slice(index * PIECE_CHARS, (index + 1) * PIECE_CHARS);
    await store.put(keyOf(texts, id, String(index)), { text: piece }, { ttlMs });
  }
};

/** A part of the text; reads only the pieces that it needs. Undefined if the file has expired. */
export const readText = async (
  store: Store,
  { id, chars = 0 }: Pick<ReceivedFile, "id" | "chars">,
  from: number,
  to: number,
): Promise<string | undefined> => {
  const end = Math.min(to, chars);
  let text = "";
  for (let index = Math.floor(from / PIECE_CHARS); index * PIECE_CHARS < end; index++) {
    const piece = await store.get(keyOf(texts, id, String(index)));
    if (piece === undefined) return undefined;
    const start = index * PIECE_CHARS;
    text += piece.value.text.slice(Math.max(0, from - start), end - start);
  }
  return text;
};

export const deleteReceived = async (
  store: Store,
  file: Pick<ReceivedFile, "id" | "bytes" | "chars">,
): Promise<void> => {
  await deleteContent(store, file);
  await store.delete(receivedFileKey(file.id));
};

export const deleteContent = async (
  store: Store,
  { id, bytes, chars = 0 }: Pick<ReceivedFile, "id" | "bytes" | "chars">,
): Promise<void> => {
  for (let index = 0; index * CHUNK_BYTES < bytes; index++) await store.delete(keyOf(chunks, id, String(index)));
  for (let index = 0; index * PIECE_CHARS < chars; index++) await store.delete(keyOf(texts, id, String(index)));
};

import { z } from "zod";
import { collection, keyOf, prefixOf } from "../../../core/contract/ports/store.ts";

/** Record of an uploaded file. Times are wall clock, milliseconds. */
export const StoredFile = z.looseObject({
  id: z.string(),
  name: z.string(),
  mediaType: z.string(),
  bytes: z.int().nonnegative(),
  /** All chunks are stored. */
  isWhole: z.boolean(),
  /** A message attaches it. Records written before this field existed count as attached. */
  isAttached: z.boolean().default(true),
  createdAt: z.number(),
  expiresAt: z.number(),
});
export type StoredFile = z.infer<typeof StoredFile>;

const VisitorFiles = z.looseObject({ files: z.array(StoredFile) });
const visitorFiles = collection("web-files", VisitorFiles);
const chunks = collection("web-file-chunks", z.looseObject({ base64: z.string() }));

/** One record for all files of a visitor, so that a compare-and-set enforces the limits. */
export const visitorFilesKey = (channel: string, visitor: string) => keyOf(visitorFiles, channel, visitor);
export const filesOfChannel = (channel: string) => prefixOf(visitorFiles, channel);
export const chunkKey = (channel: string, visitor: string, fileId: string, index: number) =>
  keyOf(chunks, channel, visitor, fileId, String(index));

/** As base64 in JSON, a chunk stays below the store's value limit. */
export const CHUNK_BYTES = 360_000;

import { z } from "zod";
import { collection, keyOf, prefixOf } from "../../../core/contract/collection.ts";

/** What is known of an uploaded file. Times are wall clock, milliseconds. */
export const StoredFile = z.looseObject({
  id: z.string(),
  name: z.string(),
  mediaType: z.string(),
  bytes: z.int().nonnegative(),
  /** All of it is stored. */
  isWhole: z.boolean(),
  /** A message names it. Files of versions before this field count as attached. */
  isAttached: z.boolean().default(true),
  createdAt: z.number(),
  expiresAt: z.number(),
});
export type StoredFile = z.infer<typeof StoredFile>;

const VisitorFiles = z.looseObject({ files: z.array(StoredFile) });
const visitorFiles = collection("web-files", VisitorFiles);
const chunks = collection("web-file-chunks", z.looseObject({ base64: z.string() }));

/** One record for all files of a visitor, so that a limit is a compare-and-set. */
export const visitorFilesKey = (channel: string, visitor: string) => keyOf(visitorFiles, channel, visitor);
export const filesOfChannel = (channel: string) => prefixOf(visitorFiles, channel);
export const chunkKey = (channel: string, visitor: string, fileId: string, index: number) =>
  keyOf(chunks, channel, visitor, fileId, String(index));

/** With base64, and JSON around it, below what the store takes. */
export const CHUNK_BYTES = 360_000;

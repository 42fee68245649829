import { z } from "zod";
import { collection, keyOf } from "../contract/collection.ts";

const values = collection("working-memory", z.looseObject({ value: z.string() }));

/** What a session has noted: one record, so that listing and counting are one read. */
export const MemoryIndex = z.looseObject({
  notes: z.array(z.looseObject({ key: z.string(), bytes: z.number().int(), expiresAt: z.number() })),
});
export type MemoryIndex = z.infer<typeof MemoryIndex>;

const indexes = collection("working-memory-index", MemoryIndex);

export const memoryKey = (sessionId: string, key: string) => keyOf(values, sessionId, key);
export const memoryIndexKey = (sessionId: string) => keyOf(indexes, sessionId);

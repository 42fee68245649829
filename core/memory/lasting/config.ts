import { z } from "zod";

/** The bounds of lasting memory (M4). The upper limits keep one record below the store's limit. */
export const MemoryConfig = z.strictObject({
  maxEntries: z
    .int()
    .min(1)
    .max(500)
    .default(200)
    .describe("Entries that the agent keeps for one person, and for one shared room; more are refused."),
  maxBytes: z
    .int()
    .min(100)
    .max(128_000)
    .default(64_000)
    .describe("Bytes of text that the agent keeps for one person, and for one shared room; more are refused."),
});
export type MemoryConfig = z.infer<typeof MemoryConfig>;

export const defaultMemory: MemoryConfig = MemoryConfig.parse({});

import { z } from "zod";

const MAX_BYTES = 50_000_000;

/** Settings of the files that people send. */
export const FilesConfig = z.strictObject({
  maxBytes: z
    .int()
    .min(1_000)
    .max(MAX_BYTES)
    .default(20_000_000)
    .describe("Largest file that the agent reads, in bytes."),
  keepDays: z
    .int()
    .min(1)
    .max(365)
    .default(7)
    .describe("Days for which a file can be read again in its conversation. /new deletes it at once."),
});
export type FilesConfig = z.infer<typeof FilesConfig>;

import { z } from "zod";

export const LogLevel = z
  .enum(["debug", "info", "warn", "error", "silent"])
  .describe("How much is logged, as JSON lines on stderr.");
export type LogLevel = z.infer<typeof LogLevel>;

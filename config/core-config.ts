import { z } from "zod";

/** `mooring core` alone: its health and metrics. Together with the gateway it answers on the gateway's port. */
export const CoreConfig = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("The address to listen on; 0.0.0.0 for all."),
  port: z.int().min(0).max(65_535).optional().describe("Without it, a core on its own listens nowhere."),
});
export type CoreConfig = z.infer<typeof CoreConfig>;

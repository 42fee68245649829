import { z } from "zod";
import { secret } from "../core/contract/secret.ts";

/** Who may read `/metrics`, on the gateway's port and on that of a core on its own. */
export const MetricsConfig = z.strictObject({
  token: secret()
    .optional()
    .describe('What Prometheus sends as Authorization: Bearer <token>, or "sha256:" and its digest.'),
  public: z.boolean().default(false).describe("Lets everybody read them. They name tenants, agents and channels."),
});
export type MetricsConfig = z.infer<typeof MetricsConfig>;

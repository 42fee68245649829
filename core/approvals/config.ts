import { z } from "zod";

const ONE_DAY_MS = 24 * 3_600_000;

/** How an agent asks people to approve tool calls (T4). The bus keeps the timer of a request for seven days. */
export const ApprovalsConfig = z.strictObject({
  expireMs: z
    .int()
    .min(1_000)
    .max(6 * ONE_DAY_MS)
    .default(ONE_DAY_MS)
    .describe("A request to approve a tool call expires after this time, and the call is not run."),
});
export type ApprovalsConfig = z.infer<typeof ApprovalsConfig>;

export const defaultApprovals: ApprovalsConfig = ApprovalsConfig.parse({});

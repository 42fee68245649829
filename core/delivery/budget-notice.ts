import type { BudgetNotice } from "../budgets/index.ts";
import type { Bus } from "../contract/ports/bus.ts";
import { publishReply } from "./publish-reply.ts";

/** Publishes a warning about a budget. A repeat after a crash has the same id, and the relay drops it. */
export const publishBudgetNotice =
  (bus: Bus) =>
  (notice: BudgetNotice): Promise<void> =>
    publishReply(bus, { ...notice, kind: "notice", sessionId: null, origin: null, mayRepeat: true });

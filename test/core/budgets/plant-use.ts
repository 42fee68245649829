import { UseLog } from "../../../core/budgets/use-log.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

interface PlantedUse {
  readonly day: string;
  readonly personId: string;
  readonly tenant?: string;
  readonly agent?: string;
  readonly model?: string;
  /** Tokens read; one is written. */
  readonly tokens?: number;
  readonly cost?: number;
}

/** Stores the use of one turn on this day, as a process would have done then. */
export const plantUse = async (
  store: Store,
  { day, personId, tenant = "default", agent = "mooring", model = "m", tokens = 1, cost }: PlantedUse,
): Promise<void> => {
  const log = new UseLog({ store, clock: new ManualClock(Date.parse(day)) }, async () => undefined);
  log.add({ tenant, agent, personId }, model, {
    ...{ turns: 1, requests: 1, inputTokens: tokens, outputTokens: 1 },
    ...(cost !== undefined && { cost: cost * 1_000_000 }),
  });
  await log.flush();
  log.stop();
};

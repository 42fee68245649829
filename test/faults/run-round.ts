import { setTimeout as delay } from "node:timers/promises";
import { type Account, isRight } from "./account/account.ts";
import { isDeath } from "./plan/fault.ts";
import type { Step } from "./plan/plan.ts";
import type { Rig } from "./rig.ts";

export interface Round {
  readonly account: Account;
  /** Everything else that is wrong: work without an end, processes that ended by themselves, gaps. */
  readonly problems: readonly string[];
  /** From the end of the last fault until every answer was seen. */
  readonly settledMs: number;
}

export const isGood = ({ account, problems }: Round): boolean => isRight(account) && problems.length === 0;

/** So many answers may be missing before the next message is sent. */
const WINDOW = 40;
/** Fewer than the runs after which a message is given up, because it may be what kills its process. */
const MOST_DEATHS = 3;

/** Plays a plan, waits for all that is to come of it, and closes the books. */
export const runRound = async (rig: Rig, steps: readonly Step[]): Promise<Round> => {
  const crashes = rig.product.crashes.length;
  const askedBeforeDeaths: number[] = [];
  for (const step of steps) {
    if (step.do === "rest") {
      await delay(step.ms);
      continue;
    }
    if (step.do === "say") {
      await rig.untilMissing(WINDOW);
      rig.say(step);
      continue;
    }
    if (isDeath(step.fault)) {
      await rig.untilMissing(0, askedBeforeDeaths.at(-MOST_DEATHS) ?? 0);
      askedBeforeDeaths.push(rig.asked);
    }
    await rig.inject(step.fault);
  }
  await rig.mend();
  const mendedAt = performance.now();
  await rig.untilMissing(0);
  const settledMs = performance.now() - mendedAt;
  // What stands before their answers is all that was still to come there.
  rig.sayEverywhere();
  await rig.untilMissing(0);
  const account = await rig.account();
  const problems = [...(await rig.operator.looseEnds()), ...rig.product.crashes.slice(crashes), ...rig.web.gaps()];
  rig.forget();
  return { account, problems, settledMs };
};

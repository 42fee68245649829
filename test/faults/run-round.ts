import { setTimeout as delay } from "node:timers/promises";
import { type Account, isRight } from "./account/account.ts";
import { isDeath } from "./plan/fault.ts";
import type { Step } from "./plan/plan.ts";
import type { Rig } from "./rig.ts";

export interface Round {
  readonly account: Account;
  /** All other problems: unfinished work, unexpected exits, gaps. */
  readonly problems: readonly string[];
  /** The time from the end of the last fault until every answer was shown. */
  readonly settledMs: number;
}

export const isGood = ({ account, problems }: Round): boolean => isRight(account) && problems.length === 0;

/** The maximum number of missing answers before the next message is sent. */
const WINDOW = 40;
/** Fewer than the attempts after which a message becomes a dead letter, because it may crash its process. */
const MAX_DEATHS = 3;

/** Runs a plan, waits for all its messages, and resets the records. */
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
      await rig.untilMissing(0, askedBeforeDeaths.at(-MAX_DEATHS) ?? 0);
      askedBeforeDeaths.push(rig.asked);
    }
    await rig.inject(step.fault);
  }
  await rig.recover();
  const recoveredAt = performance.now();
  await rig.untilMissing(0);
  const settledMs = performance.now() - recoveredAt;
  // Everything before these answers is complete.
  rig.sayEverywhere();
  await rig.untilMissing(0);
  const account = await rig.account();
  const problems = [...(await rig.operator.looseEnds()), ...rig.product.crashes.slice(crashes), ...rig.web.gaps()];
  rig.forget();
  return { account, problems, settledMs };
};

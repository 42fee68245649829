import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { WRONGS } from "./account/account.ts";
import { describeAccount } from "./account/describe-account.ts";
import { keepEvidence } from "./keep-evidence.ts";
import { spelled } from "./plan/fault.ts";
import type { Backbone, Step } from "./plan/plan.ts";
import { triedBy } from "./plan/tried-by.ts";
import { Rig } from "./rig.ts";
import { isGood, runRound } from "./run-round.ts";

interface SeededOptions {
  readonly seed: number;
  readonly backbone: Backbone;
  readonly steps: readonly Step[];
  /** The rows of the matrix that its plan holds. */
  readonly tries: readonly string[];
  /** False: the account would be wrong because of the installed server. */
  readonly canBeRight?: boolean;
}

/** Everything at once, in a minute at most on a quiet machine; `npm run soak` goes on for as long as wanted. */
export const seededRun = ({ seed, tries, backbone, steps, canBeRight = true }: SeededOptions): void => {
  describe(`given the product on ${backbone} under mixed load from all platforms`, () => {
    let rig: Rig;
    beforeAll(async () => {
      await requireFreshBuild();
      if (canBeRight) rig = await Rig.start(backbone);
    }, 180_000);
    afterAll(() => rig?.dispose(), 60_000);

    it("then its plan tries what it says", () => {
      expect([...triedBy(steps, backbone)]).toEqual(expect.arrayContaining([...tries]));
    });

    it.runIf(canBeRight)(
      "when everything goes wrong, then everybody sees each answer once, in order, and nobody else's",
      {
        timeout: 300_000,
      },
      async () => {
        const round = await runRound(rig, steps);
        const { account, problems } = round;
        const faults = steps.flatMap((step) => (step.do === "fault" ? spelled(step.fault) : [])).join("; ");
        const evidence = isGood(round) ? "none needed" : await keepEvidence(rig.product);
        const schedule = `${faults}; evidence: ${evidence}`;
        const { messages, answers, unknown } = account;
        const right = { messages, answers, unknown, ...Object.fromEntries(WRONGS.map((wrong) => [wrong, []])) };
        expect(account, `${describeAccount(account)}\nseed ${seed}: ${schedule}`).toEqual(right);
        expect(problems, `seed ${seed}: ${schedule}`).toEqual([]);
      },
    );
  });
};

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { WRONGS } from "./account/account.ts";
import { describeAccount } from "./account/describe-account.ts";
import { coveredBy } from "./plan/covered-by.ts";
import { spelled } from "./plan/fault.ts";
import type { Backbone, Step } from "./plan/plan.ts";
import { Rig } from "./rig.ts";
import { isGood, runRound } from "./run-round.ts";
import { saveEvidence } from "./save-evidence.ts";

interface SeededOptions {
  readonly seed: number;
  readonly backbone: Backbone;
  readonly steps: readonly Step[];
  /** The rows of the matrix that its plan covers. */
  readonly tries: readonly string[];
  /** False: the account would have errors because of the installed server. */
  readonly canBeRight?: boolean;
}

/** All faults at once, in at most a minute on an idle machine; `npm run soak` runs as long as requested. */
export const seededRun = ({ seed, tries, backbone, steps, canBeRight = true }: SeededOptions): void => {
  describe(`given the product on ${backbone} under mixed load from all platforms`, () => {
    let rig: Rig;
    beforeAll(async () => {
      await requireFreshBuild();
      if (canBeRight) rig = await Rig.start(backbone);
    }, 180_000);
    afterAll(() => rig?.dispose(), 60_000);

    it("then its plan covers the listed rows", () => {
      expect([...coveredBy(steps, backbone)]).toEqual(expect.arrayContaining([...tries]));
    });

    it.runIf(canBeRight)(
      "when all faults happen, then each person sees each of their answers once, in order, and no others",
      {
        timeout: 300_000,
      },
      async () => {
        const round = await runRound(rig, steps);
        const { account, problems } = round;
        const faults = steps.flatMap((step) => (step.do === "fault" ? spelled(step.fault) : [])).join("; ");
        const evidence = isGood(round) ? "none needed" : await saveEvidence(rig.product);
        const schedule = `${faults}; evidence: ${evidence}`;
        const { messages, answers, unknown } = account;
        const right = { messages, answers, unknown, ...Object.fromEntries(WRONGS.map((wrong) => [wrong, []])) };
        expect(account, `${describeAccount(account)}\nseed ${seed}: ${schedule}`).toEqual(right);
        expect(problems, `seed ${seed}: ${schedule}`).toEqual([]);
      },
    );
  });
};

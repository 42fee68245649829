import { describe, expect, it } from "vitest";
import { CHANGES, playStep, stepsOf } from "./play-steps.ts";

/** Plays a sample; `npm run scale -- --steps` plays all steps. */
const EVERY = process.env.MOORING_SOAK ? 1 : 41;

describe("given two processes that share partitions on a simulated server", () => {
  it.each(CHANGES)(
    "when one message of a %s is lost, late, refused or unanswered, then each partition is read by one process within two leases",
    async (change) => {
      const steps = await stepsOf(change);
      expect(steps.length).toBeGreaterThan(400);
      for (const step of steps.filter((_, index) => index % EVERY === 0)) {
        const { misread, violations, published, handled } = await playStep(change, step);
        expect({ step, misread, violations, handled }).toEqual({
          step,
          misread: [],
          violations: [],
          handled: published,
        });
      }
    },
    process.env.MOORING_SOAK ? 3_600_000 : undefined,
  );
});

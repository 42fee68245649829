import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultRetryLimits as limits } from "../../../../gateway/relay/context.ts";
import { retryPause } from "../../../../gateway/relay/sending/outcomes.ts";

const HOUR_MS = 3_600_000;

describe("given a delivery that failed (F9)", () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [5, 16_000],
    [11, 1_024_000],
    [12, 1_800_000],
    [49, 1_800_000],
  ])("when it was attempt %i, then the pause is at most %i ms and at least half of it", (attempt, most) => {
    expect(retryPause(limits, { attempt, ageMs: 0, random: 1 })).toBe(most);
    expect(retryPause(limits, { attempt, ageMs: 0, random: 0 })).toBe(most / 2);
  });

  it("when the platform sends Retry-After, then the pause is never shorter", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 49 }),
        fc.nat(HOUR_MS),
        fc.float({ min: 0, max: 1, noNaN: true }),
        (attempt, asked, random) => {
          expect(retryPause(limits, { attempt, ageMs: 0, retryAfterMs: asked, random })).toBeGreaterThanOrEqual(asked);
        },
      ),
    );
  });

  it.each([
    ["the attempts are used up", { attempt: 50, ageMs: 0 }],
    ["it is a day old", { attempt: 5, ageMs: 24 * HOUR_MS }],
    ["the platform asks for more time than is left", { attempt: 5, ageMs: 23 * HOUR_MS, retryAfterMs: 2 * HOUR_MS }],
  ])("when %s, then it was the last attempt", (_, tried) => {
    expect(retryPause(limits, { ...tried, random: 0 })).toBeUndefined();
  });

  it.each([Number.NaN, -5, Number.POSITIVE_INFINITY])(
    "when the platform sends a Retry-After of %d ms, then it is ignored",
    (retryAfterMs) => {
      expect(retryPause(limits, { attempt: 1, ageMs: 0, retryAfterMs, random: 1 })).toBe(1_000);
    },
  );

  it("when it is a day old but had few attempts, because the gateway was down, then it is retried", () => {
    expect(retryPause(limits, { attempt: 4, ageMs: 48 * HOUR_MS, random: 0 })).toBe(4_000);
  });
});

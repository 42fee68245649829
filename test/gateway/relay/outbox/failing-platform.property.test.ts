import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import type { PaperFault } from "../../../fakes/paper-platform.ts";
import { openRelayRig, room } from "../relay-rig.ts";

const ROOMS = ["a", "b", "c"] as const;
const passing = fc.constantFrom<(PaperFault | undefined)[]>(
  undefined,
  undefined,
  "rate-limited",
  "unavailable",
  "cut-after-accept",
);
const life = fc.record({
  replies: fc.array(fc.constantFrom(...ROOMS), { minLength: 1, maxLength: 12 }),
  faults: fc.array(passing, { maxLength: 12 }),
  kind: fc.constantFrom("asked" as const, "recognises" as const),
});

describe("given a platform that fails at random", () => {
  it("when it recovers, then every reply was shown once, in order per conversation (D4, D5)", async () => {
    await fc.assert(
      fc.asyncProperty(life, async ({ replies, faults, kind }) => {
        // Time runs during calls to the platform, so no response may count as late.
        const rig = await openRelayRig({ deliverWithinMs: 10 ** 9, recognisedForMs: 10 ** 9 });
        const time = setInterval(() => rig.clock.advance(500), 1);
        try {
          const left = [...faults];
          rig.platform.faultIn = () => left.shift();
          const adapter = kind === "asked" ? rig.paper("repeats", "reconciling") : rig.paper("idempotent");
          const running = await runChannel(rig.context, adapter, "gateway");
          rig.closes(() => running.stop());
          for (const [index, name] of replies.entries()) await rig.publish(`r${index}`, room(name), `${index}`);
          await rig.logger.lines.until(
            (lines) => lines.filter(({ message }) => message === "delivered").length === replies.length,
          );
          for (const name of ROOMS) {
            const expected = [...replies.entries()].filter(([, where]) => where === name).map(([index]) => `${index}`);
            expect(rig.platform.notes.filter((note) => note.room === name).map(({ text }) => text)).toEqual(expected);
          }
          expect(await rig.deadLetters()).toEqual([]);
        } finally {
          clearInterval(time);
          await rig.close();
        }
      }),
      { numRuns: 25 },
    );
  });
});

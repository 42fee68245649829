import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversationKey } from "../../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import type { PaperFault } from "../../../fakes/paper-platform.ts";
import { sampleActivity } from "../../../fakes/sample-activity.ts";
import { openRelayRig, room } from "../relay-rig.ts";

const fault = fc.constantFrom<(PaperFault | undefined)[]>(
  undefined,
  undefined,
  "rate-limited",
  "unavailable",
  "cut-after-accept",
);
const life = fc.record({
  revisions: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 15 }),
  faults: fc.array(fault, { maxLength: 10 }),
});

describe("given states of an activity entry out of order and duplicated, and a platform that fails", () => {
  it("when it recovers, then one message shows the newest state, and no older state replaced a newer one (B1)", async () => {
    await fc.assert(
      fc.asyncProperty(life, async ({ revisions, faults }) => {
        const rig = await openRelayRig({ deliverWithinMs: 10 ** 9, recognisedForMs: 10 ** 9 });
        const time = setInterval(() => rig.clock.advance(500), 1);
        try {
          const left = [...faults];
          rig.platform.faultIn = () => left.shift();
          const adapter = rig.paper("idempotent", "editing");
          const running = await runChannel(rig.context, adapter, "gateway");
          rig.closes(() => running.stop());
          for (const [index, revision] of revisions.entries()) {
            const reply = sampleActivity("t1", room("a"), revision);
            const options = { id: `${reply.id}/${index}`, key: conversationKey(room("a")) };
            await rig.backbone.bus.publish(subjectsOf("default").userResponse("mooring"), reply, options);
          }
          const newest = `state ${Math.max(...revisions)}`;
          await rig.platform.until(({ notes }) => notes[0]?.text === newest);
          await running.stop();
          expect(rig.platform.notes.map(({ text }) => text)).toEqual([newest]);
          const edits = rig.platform.edits.map((text) => Number(text.replace("state ", "")));
          expect(edits).toEqual([...edits].sort((a, b) => a - b));
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

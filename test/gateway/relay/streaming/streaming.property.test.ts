import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversationKey } from "../../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import type { PaperFault } from "../../../fakes/paper-platform.ts";
import { sampleReply } from "../../../fakes/sample-reply.ts";
import { openRelayRig, room } from "../relay-rig.ts";

const fault = fc.constantFrom<(PaperFault | undefined)[]>(
  undefined,
  undefined,
  "rate-limited",
  "unavailable",
  "cut-after-accept",
);
const life = fc.record({
  /** The text in pieces; some signals are lost, and sometimes the model starts over. */
  pieces: fc.array(fc.record({ isReceived: fc.boolean(), startsOver: fc.boolean() }), { minLength: 1, maxLength: 12 }),
  faults: fc.array(fault, { maxLength: 8 }),
  /** After this many pieces the gateway stops and another one takes over. */
  stopsAfter: fc.option(fc.nat({ max: 10 })),
  canBeAsked: fc.boolean(),
});

describe("given streamed answers, gateways that are replaced, and a platform that fails", () => {
  it("when it recovers, then each answer is one complete message (D4)", async () => {
    await fc.assert(
      fc.asyncProperty(life, async ({ pieces, faults, stopsAfter, canBeAsked }) => {
        const limits = { deliverWithinMs: 10 ** 9, recognisedForMs: 10 ** 9, streamAfterMs: 500 };
        const rig = await openRelayRig(limits);
        const time = setInterval(() => rig.clock.advance(500), 1);
        const subjects = subjectsOf("default");
        const target = room("a");
        const pace = { editEveryMs: 500, streamEveryMs: 500 };
        const paper = () =>
          canBeAsked ? rig.paper("repeats", "reconciling-editing", pace) : rig.paper("idempotent", "editing", pace);
        const start = () => runChannel(rig.context, paper(), "gateway");
        const nextPass = () => new Promise((resolve) => setImmediate(resolve));
        let running = await start();
        try {
          const left = [...faults];
          rig.platform.faultIn = () => left.shift();
          let attempt = 0;
          let written = "";
          for (const [index, { isReceived, startsOver }] of pieces.entries()) {
            if (startsOver) {
              attempt++;
              written = "";
            }
            const text = `word${index} `;
            const delta = {
              conversation: target,
              correlationId: "q",
              replyId: "r",
              attempt,
              offset: written.length,
              text,
            };
            written += text;
            if (isReceived) rig.backbone.bus.signal(subjects.userSignal("mooring"), { type: "delta", ...delta });
            for (let pass = 0; pass < 5; pass++) await nextPass();
            if (index === stopsAfter) {
              await running.stop();
              running = await start();
            }
          }
          const whole = `${written}and the end`;
          const options = { id: "r", key: conversationKey(target) };
          const reply = sampleReply("r", target, whole, { correlationId: "q" });
          await rig.backbone.bus.publish(subjects.userResponse("mooring"), reply, options);
          await rig.publish("next", target, "next", { correlationId: "q2" });
          await rig.platform.until(({ notes }) => notes.some(({ text }) => text === "next"));
          await running.stop();
          expect(rig.platform.notes.map(({ text }) => text)).toEqual([whole, "next"]);
          expect(await rig.deadLetters()).toEqual([]);
        } finally {
          clearInterval(time);
          await running.stop();
          await rig.close();
        }
      }),
      { numRuns: 25 },
    );
  });
});

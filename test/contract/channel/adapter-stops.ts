import { describe, expect, it } from "vitest";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import type { MakeHarness } from "./harness-in-use.ts";
import { failureOf, HarnessInUse } from "./harness-in-use.ts";

/** How an adapter comes to an end, and begins again. */
export const adapterStops = (makeHarness: MakeHarness): void => {
  describe("given an adapter that never started", () => {
    const use = new HarnessInUse(makeHarness, { start: false });

    it("when it is stopped, then that is fine", async () => {
      await use.adapter.stop();
    });
  });

  describe("given an adapter that is stopped", () => {
    const use = new HarnessInUse(makeHarness, { start: true });

    it("when somebody writes, then it is neither acknowledged nor accepted", async () => {
      await use.heard({ text: "before" });
      await use.adapter.stop();
      expect(await use.harness.userSays({ text: "after" })).not.toBe("acknowledged");
      expect(use.inbox.offered.items).toHaveLength(1);
    });

    it("when it is asked to deliver, then it says that it cannot now", async ({ skip }) => {
      skip(use.adapter.capabilities.resend === "log", "a log can be appended to at any time");
      const target = await use.conversationWith();
      await use.adapter.stop();
      const failure = await failureOf(use.adapter.deliver(sampleDelivery("r1", target, "too late")));
      expect(failure).toBeInstanceOf(DeliveryFailed);
      expect(failure).toHaveProperty("reason", "unavailable");
    });

    it("when it is stopped again, at once and later, then that is fine", async () => {
      await Promise.all([use.adapter.stop(), use.adapter.stop()]);
      await use.adapter.stop();
    });

    it("when the same adapter is started again, then it works as before", async () => {
      const target = await use.conversationWith();
      await use.adapter.stop();
      await use.harness.start(use.inbox);
      await use.heard({ text: "back again" });
      await use.adapter.deliver(sampleDelivery("r1", target, "welcome back"));
      expect((await use.harness.posted(1)).at(-1)?.text).toContain("welcome back");
    });
  });
};

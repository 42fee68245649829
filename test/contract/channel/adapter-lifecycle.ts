import { describe, expect, it } from "vitest";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { ContractRig, reasonOf } from "./contract-rig.ts";

/** Stops and starts. */
export const adapterLifecycle = (makeHarness: MakeHarness): void => {
  describe("given an adapter that never started", () => {
    const rig = new ContractRig(makeHarness, { start: false });

    it("when it is stopped, then the stop resolves", async () => {
      await rig.adapter.stop();
    });
  });

  describe("given a stopped adapter", () => {
    const rig = new ContractRig(makeHarness, { start: true });

    it("when a person writes, then the message is neither acknowledged nor accepted", async () => {
      await rig.accepted({ text: "before" });
      await rig.adapter.stop();
      expect(await rig.harness.userSays({ text: "after" })).not.toBe("acknowledged");
      expect(rig.inbox.offered.items).toHaveLength(1);
    });

    it("when it gets a delivery, then it fails as unavailable", async ({ skip }) => {
      skip(rig.adapter.capabilities.resend === "log", "a log can be appended to at any time");
      const target = await rig.conversationWith();
      await rig.adapter.stop();
      expect(await reasonOf(rig.adapter.deliver(sampleDelivery("r1", target, "too late")))).toBe("unavailable");
    });

    it("when it is stopped again, concurrently or later, then the stop resolves", async () => {
      await Promise.all([rig.adapter.stop(), rig.adapter.stop()]);
      await rig.adapter.stop();
    });

    it("when the same adapter is started again, then it works as before", async () => {
      const target = await rig.conversationWith();
      await rig.adapter.stop();
      await rig.harness.start(rig.inbox);
      await rig.accepted({ text: "back again" });
      await rig.adapter.deliver(sampleDelivery("r1", target, "welcome back"));
      expect((await rig.harness.posted(1)).at(-1)?.text).toContain("welcome back");
    });
  });
};

import { beforeEach, describe, expect, it } from "vitest";
import { isReconcilingAdapter } from "../../../adapters/contract/abilities.ts";
import type { DeliveryFailure } from "../../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import type { PlatformFault } from "../channel-harness.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { ContractRig, failureOf } from "./contract-rig.ts";

const REASONS: [PlatformFault, DeliveryFailure[]][] = [
  ["rate-limited", ["rate-limited"]],
  ["unavailable", ["unavailable", "unknown"]],
  ["answer-lost", ["unknown"]],
  ["failed-after-accept", ["unknown"]],
  ["target-gone", ["target-gone"]],
  ["forbidden", ["forbidden"]],
  ["rejected", ["rejected"]],
];

/** Failures of the platform, as the outbox sees them. */
export const adapterFailures = (makeHarness: MakeHarness): void => {
  describe("given a failing platform", () => {
    const rig = new ContractRig(makeHarness, { start: true });
    let target: Conversation;
    const attempt = () => failureOf(rig.adapter.deliver(sampleDelivery("r1", target, "hard to say")));

    beforeEach(async ({ skip }) => {
      skip(rig.adapter.capabilities.resend === "log", "there is no platform that could fail");
      target = await rig.conversationWith();
    });

    it.each(REASONS)("when it is %s, then the failure has the matching reason (F10)", async (fault, reasons) => {
      rig.harness.breakPlatform(fault);
      const failure = await attempt();
      expect(failure).toMatchObject({ name: expect.any(String), message: expect.stringMatching(/./) });
      expect(reasons).toContain((failure as { reason?: unknown }).reason);
      rig.harness.recoverPlatform();
      // The adapter may remember a refusal; a retry by hand ignores it.
      await rig.adapter.deliver(sampleDelivery("r2", target, "easy to say", { byHand: true }));
      const posts = await rig.harness.posted(1);
      expect(posts.at(-1)?.text).toContain("easy to say");
      expect(posts.some(({ text }) => text.includes("hard to say"))).toBe(
        fault === "answer-lost" || fault === "failed-after-accept",
      );
    });

    it("when it limits the rate, then the failure has exactly the delay that it requests (F9)", async () => {
      rig.harness.breakPlatform("rate-limited");
      expect(await attempt()).toHaveProperty("retryAfterMs", rig.harness.retryAfterMs);
    });

    it("when a response was lost, then the message can be found on the platform (F11)", async ({ skip }) => {
      const { adapter, harness } = rig;
      if (!isReconcilingAdapter(adapter)) return skip("the adapter cannot find messages");
      harness.breakPlatform("answer-lost");
      await attempt();
      harness.recoverPlatform();
      const [post] = await harness.posted(1);
      const found = await adapter.find(sampleDelivery("r1", target, "hard to say"));
      expect(found).toEqual({ messageId: post?.messageId });
      const never = await adapter.find(sampleDelivery("r9", target, "never said"));
      expect(["absent", "unknown"]).toContain(never);
    });

    it("when the adapter stops during a delivery, then the delivery ends first", async () => {
      rig.harness.breakPlatform("hanging");
      const delivering = attempt();
      const seenAtTheEnd = rig.adapter.stop().then(() => rig.harness.posted(0));
      rig.harness.recoverPlatform();
      expect(await seenAtTheEnd).toMatchObject([{ text: expect.stringContaining("hard to say") }]);
      expect(await delivering).toBe("no failure");
    });

    it("when it never responds, then the stop still resolves, and the delivery has failed", async () => {
      rig.harness.breakPlatform("hanging");
      const delivering = attempt();
      const stopping = rig.adapter.stop();
      rig.harness.expireStop();
      await stopping;
      expect(await delivering).toMatchObject({ reason: expect.stringMatching(/^(unknown|unavailable)$/) });
    });
  });
};

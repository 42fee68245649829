import { beforeEach, describe, expect, it } from "vitest";
import { isReconcilingAdapter } from "../../../adapters/contract/abilities.ts";
import type { DeliveryFailure } from "../../../adapters/contract/delivery-failed.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import type { Trouble } from "../channel-harness.ts";
import type { MakeHarness } from "./harness-in-use.ts";
import { failureOf, HarnessInUse } from "./harness-in-use.ts";

const REASONS: [Trouble, DeliveryFailure[]][] = [
  ["rate-limited", ["rate-limited"]],
  ["unavailable", ["unavailable", "unknown"]],
  ["answer-lost", ["unknown"]],
  ["target-gone", ["target-gone"]],
  ["forbidden", ["forbidden"]],
];

/** What the outbox is told when the platform does not do as it should. */
export const adapterTrouble = (makeHarness: MakeHarness): void => {
  describe("given a platform in trouble", () => {
    const use = new HarnessInUse(makeHarness, { start: true });
    let target: Conversation;
    const attempt = () => failureOf(use.adapter.deliver(sampleDelivery("r1", target, "hard to say")));

    beforeEach(async ({ skip }) => {
      skip(use.adapter.capabilities.resend === "log", "there is no platform that could be in trouble");
      target = await use.conversationWith();
    });

    it.each(REASONS)("when it is %s, then the failure says what may be done (F10)", async (trouble, reasons) => {
      use.harness.breakPlatform(trouble);
      const failure = await attempt();
      expect(failure).toBeInstanceOf(DeliveryFailed);
      expect(reasons).toContain((failure as DeliveryFailed).reason);
      use.harness.mendPlatform();
      // A platform that refused may be asked again only if a person wants it.
      await use.adapter.deliver(sampleDelivery("r2", target, "easy to say", { byHand: true }));
      const posts = await use.harness.posted(1);
      expect(posts.at(-1)?.text).toContain("easy to say");
      expect(posts.some(({ text }) => text.includes("hard to say"))).toBe(trouble === "answer-lost");
    });

    it("when it asks to wait, then the failure says for how long (F9)", async () => {
      use.harness.breakPlatform("rate-limited");
      expect(await attempt()).toHaveProperty("retryAfterMs", expect.any(Number));
    });

    it("when an answer was lost, then the platform can be asked about it (F11)", async ({ skip }) => {
      const { adapter, harness } = use;
      if (!isReconcilingAdapter(adapter)) return skip("the platform cannot be asked");
      harness.breakPlatform("answer-lost");
      await attempt();
      harness.mendPlatform();
      const [post] = await harness.posted(1);
      const found = await adapter.find(sampleDelivery("r1", target, "hard to say"));
      expect(found).toEqual({ messageId: post?.messageId });
      const never = await adapter.find(sampleDelivery("r9", target, "never said"));
      expect(["absent", "cannot-tell"]).toContain(never);
    });

    it("when it is stopped with a delivery under way, then the delivery ends first", async () => {
      use.harness.breakPlatform("hanging");
      const delivering = attempt();
      const seenAtTheEnd = use.adapter.stop().then(() => use.harness.posted(0));
      use.harness.mendPlatform();
      expect(await seenAtTheEnd).toMatchObject([{ text: expect.stringContaining("hard to say") }]);
      expect(await delivering).toBe("no failure");
    });

    it("when it hangs for good, then stop ends all the same, and the delivery has failed", async () => {
      use.harness.breakPlatform("hanging");
      const delivering = attempt();
      await use.adapter.stop();
      expect(await delivering).toMatchObject({ reason: expect.stringMatching(/^(unknown|unavailable)$/) });
    });
  });
};

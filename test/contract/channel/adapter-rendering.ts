import { beforeEach, describe, expect, it } from "vitest";
import { isEditingAdapter } from "../../../adapters/contract/abilities.ts";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { ContractRig, failureOf } from "./contract-rig.ts";

/** Makes the renderer throw, like a stack overflow. */
const undrawable = (delivery: Delivery): Delivery => ({
  ...delivery,
  part: {
    index: 0,
    count: 1,
    get markdown(): string {
      throw new RangeError("Maximum call stack size exceeded");
    },
  },
});

/** Replies that the adapter cannot render. */
export const adapterRendering = (makeHarness: MakeHarness): void => {
  describe("given a reply that cannot be rendered", () => {
    const rig = new ContractRig(makeHarness, { start: true });
    let target: Conversation;
    beforeEach(async () => {
      target = await rig.conversationWith();
    });

    it("when it is delivered, then it is rejected, nothing is posted, and its plain text is posted once (F37)", async () => {
      const failure = await failureOf(rig.adapter.deliver(undrawable(sampleDelivery("r1", target, ""))));
      expect(failure).toMatchObject({ reason: "rejected", message: expect.stringContaining("could not be rendered") });
      expect(await rig.harness.posted(0)).toEqual([]);
      const plain = sampleDelivery("r1", target, `plain text ${">".repeat(300)}`, {
        plain: true,
        anchor: sampleAnchor,
      });
      await rig.adapter.deliver(plain);
      const posts = await rig.harness.posted(1);
      expect(posts).toHaveLength(1);
      expect(posts[0]?.text).toContain("plain text");
    });

    it("when its plain text mentions everyone, then no one is notified (F25)", async () => {
      const { massMention } = rig.harness.hostile;
      await rig.adapter.deliver(sampleDelivery("r2", target, `listen ${massMention}`, { plain: true }));
      expect(await rig.harness.posted(1)).toMatchObject([{ pings: false }]);
    });

    it("when a message is edited to it, then the message stays unchanged, until the edit to plain text (F37)", async ({
      skip,
    }) => {
      const { adapter } = rig;
      if (!isEditingAdapter(adapter)) return skip("messages cannot be edited");
      const { messageId } = await adapter.deliver(sampleDelivery("r1", target, "first text"));
      expect(await failureOf(adapter.edit(messageId, undrawable(sampleDelivery("r2", target, ""))))).toMatchObject({
        reason: "rejected",
      });
      expect((await rig.harness.posted(1)).at(-1)?.text).toContain("first text");
      await adapter.edit(messageId, sampleDelivery("r2", target, "second text", { plain: true }));
      expect((await rig.harness.posted(1)).at(-1)?.text).toContain("second text");
    });
  });
};

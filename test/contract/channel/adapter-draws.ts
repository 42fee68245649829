import { beforeEach, describe, expect, it } from "vitest";
import { isEditingAdapter } from "../../../adapters/contract/abilities.ts";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { NotDrawn } from "../../../adapters/contract/render-delivery.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";
import type { MakeHarness } from "./harness-in-use.ts";
import { failureOf, HarnessInUse } from "./harness-in-use.ts";

/** Throws as a renderer would that overflows the stack. */
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

/** What becomes of a reply that the adapter cannot draw. */
export const adapterDraws = (makeHarness: MakeHarness): void => {
  describe("given a reply that cannot be drawn", () => {
    const use = new HarnessInUse(makeHarness, { start: true });
    let target: Conversation;
    beforeEach(async () => {
      target = await use.conversationWith();
    });

    it("when it is delivered, then it is rejected, nothing is posted, and its plain text is posted once (F37)", async () => {
      const failure = await failureOf(use.adapter.deliver(undrawable(sampleDelivery("r1", target, ""))));
      expect(failure).toBeInstanceOf(NotDrawn);
      expect(failure).toMatchObject({ reason: "rejected" });
      expect(await use.harness.posted(0)).toEqual([]);
      const plain = sampleDelivery("r1", target, `plain words ${">".repeat(300)}`, {
        plain: true,
        anchor: sampleAnchor,
      });
      await use.adapter.deliver(plain);
      const posts = await use.harness.posted(1);
      expect(posts).toHaveLength(1);
      expect(posts[0]?.text).toContain("plain words");
    });

    it("when its plain text would ping everybody, then it pings nobody (F25)", async () => {
      const { massMention } = use.harness.hostile;
      await use.adapter.deliver(sampleDelivery("r2", target, `listen ${massMention}`, { plain: true }));
      expect(await use.harness.posted(1)).toMatchObject([{ pings: false }]);
    });

    it("when a message is to be edited to it, then the message stays, and is edited to its plain text (F37)", async ({
      skip,
    }) => {
      const { adapter } = use;
      if (!isEditingAdapter(adapter)) return skip("messages cannot be changed");
      const { messageId } = await adapter.deliver(sampleDelivery("r1", target, "first words"));
      expect(await failureOf(adapter.edit(messageId, undrawable(sampleDelivery("r2", target, ""))))).toMatchObject({
        reason: "rejected",
      });
      expect((await use.harness.posted(1)).at(-1)?.text).toContain("first words");
      await adapter.edit(messageId, sampleDelivery("r2", target, "second words", { plain: true }));
      expect((await use.harness.posted(1)).at(-1)?.text).toContain("second words");
    });
  });
};

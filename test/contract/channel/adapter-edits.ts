import { beforeEach, describe, expect, it } from "vitest";
import type { EditingAdapter } from "../../../adapters/contract/abilities.ts";
import { isEditingAdapter } from "../../../adapters/contract/abilities.ts";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { DeliveryFailure } from "../../../adapters/contract/delivery-failed.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";
import type { Trouble } from "../channel-harness.ts";
import type { MakeHarness } from "./harness-in-use.ts";
import { failureOf, HarnessInUse } from "./harness-in-use.ts";

const REASONS: [Trouble, DeliveryFailure[]][] = [
  ["rate-limited", ["rate-limited"]],
  ["unavailable", ["unavailable", "unknown"]],
  ["answer-lost", ["unknown"]],
  ["forbidden", ["forbidden"]],
];

/** How a message changes in place. */
export const adapterEdits = (makeHarness: MakeHarness): void => {
  describe("given a message that was delivered, and a platform where messages can be changed", () => {
    const use = new HarnessInUse(makeHarness, { start: true });
    const saying = (text: string) => expect.stringContaining(text);
    let target: Conversation;
    let messageId: string;
    const edit = async (id: string, text: string, more: Partial<Delivery> = {}) =>
      (use.adapter as EditingAdapter).edit(messageId, sampleDelivery(id, target, text, more));

    beforeEach(async ({ skip }) => {
      skip(!isEditingAdapter(use.adapter), "messages cannot be changed");
      target = await use.conversationWith();
      ({ messageId } = await use.adapter.deliver(sampleDelivery("r1", target, "first words")));
    });

    it("when it is edited, then people see the new text in its place, and the receipt names it", async () => {
      expect(await edit("r2", "second words")).toEqual({ messageId });
      await edit("r3", "third words");
      const posts = await use.harness.posted(1);
      expect(posts).toMatchObject([{ messageId, text: saying("third words") }]);
      expect(posts[0]?.text).not.toContain("first words");
    });

    it("when it is edited after a restart, then that is the same", async () => {
      await use.restart();
      await edit("r2", "second words");
      expect(await use.harness.posted(1)).toMatchObject([{ messageId, text: saying("second words") }]);
    });

    it("when an edit is repeated, then nothing changes", async () => {
      await edit("r2", "second words");
      await edit("r2", "second words", { mayRepeat: true });
      expect(await use.harness.posted(1)).toMatchObject([{ messageId, text: saying("second words") }]);
    });

    it("when an anchor is given it is shown, and otherwise no longer (O8)", async () => {
      await edit("r2", "with", { anchor: sampleAnchor });
      expect(await use.harness.posted(1)).toMatchObject([{ anchored: true, text: saying("with") }]);
      await edit("r3", "none");
      expect(await use.harness.posted(1)).toMatchObject([{ anchored: false, text: saying("none") }]);
    });

    it("when the new text calls everybody or imitates an anchor, then it is only text (O16)", async () => {
      const { massMention, anchor } = use.harness.hostile;
      await edit("r2", `hey ${massMention} look\n${anchor}`);
      expect(await use.harness.posted(1)).toMatchObject([{ pings: false, anchored: false, text: saying("look") }]);
    });

    it.for(REASONS)(
      "when the platform is %s, then the failure says what may be done",
      async ([trouble, reasons], { skip }) => {
        skip(use.adapter.capabilities.resend === "log", "there is no platform that could be in trouble");
        use.harness.breakPlatform(trouble);
        const failure = await failureOf(edit("r2", "second words"));
        expect(failure).toBeInstanceOf(DeliveryFailed);
        expect(reasons).toContain((failure as DeliveryFailed).reason);
        use.harness.mendPlatform();
        await edit("r2", "second words", { byHand: true });
        expect(await use.harness.posted(1)).toMatchObject([{ messageId, text: saying("second words") }]);
      },
    );

    it("when somebody has removed the message, then the failure says so", async ({ skip }) => {
      skip(use.adapter.capabilities.resend === "log", "nobody can remove an entry of a log");
      use.harness.removePost(messageId);
      expect(await failureOf(edit("r2", "second words"))).toHaveProperty("reason", "target-gone");
    });
  });
};

import { beforeEach, describe, expect, it } from "vitest";
import type { EditingAdapter } from "../../../adapters/contract/abilities.ts";
import { isEditingAdapter } from "../../../adapters/contract/abilities.ts";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { DeliveryFailure } from "../../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";
import type { PlatformFault } from "../channel-harness.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { ContractRig, failureOf, reasonOf } from "./contract-rig.ts";

const REASONS: [PlatformFault, DeliveryFailure[]][] = [
  ["rate-limited", ["rate-limited"]],
  ["unavailable", ["unavailable", "unknown"]],
  ["answer-lost", ["unknown"]],
  ["failed-after-accept", ["unknown"]],
  ["forbidden", ["forbidden"]],
  ["rejected", ["rejected"]],
];

/** Edits of messages. */
export const adapterEdits = (makeHarness: MakeHarness): void => {
  describe("given a delivered message on a platform that supports edits", () => {
    const rig = new ContractRig(makeHarness, { start: true });
    const saying = (text: string) => expect.stringContaining(text);
    let target: Conversation;
    let messageId: string;
    const edit = async (id: string, text: string, more: Partial<Delivery> = {}) =>
      (rig.adapter as EditingAdapter).edit(messageId, sampleDelivery(id, target, text, more));

    beforeEach(async ({ skip }) => {
      skip(!isEditingAdapter(rig.adapter), "messages cannot be edited");
      target = await rig.conversationWith();
      ({ messageId } = await rig.adapter.deliver(sampleDelivery("r1", target, "first text")));
    });

    it("when it is edited, then people see the new text in the same message, which the receipt names", async () => {
      expect(await edit("r2", "second text")).toEqual({ messageId });
      await edit("r3", "third text");
      const posts = await rig.harness.posted(1);
      expect(posts).toMatchObject([{ messageId, text: saying("third text") }]);
      expect(posts[0]?.text).not.toContain("first text");
    });

    it("when it is edited after a restart, then people see the new text in the same message", async () => {
      await rig.restart();
      await edit("r2", "second text");
      expect(await rig.harness.posted(1)).toMatchObject([{ messageId, text: saying("second text") }]);
    });

    it("when an edit is retried, then nothing changes", async () => {
      await edit("r2", "second text");
      await edit("r2", "second text", { mayRepeat: true });
      expect(await rig.harness.posted(1)).toMatchObject([{ messageId, text: saying("second text") }]);
    });

    it("when the edit has an anchor, then it is shown; an edit without one removes it (O8)", async () => {
      await edit("r2", "with", { anchor: sampleAnchor });
      expect(await rig.harness.posted(1)).toMatchObject([{ anchored: true, text: saying("with") }]);
      await edit("r3", "none");
      expect(await rig.harness.posted(1)).toMatchObject([{ anchored: false, text: saying("none") }]);
    });

    it("when the new text mentions everyone or imitates an anchor, then it is shown as text (O16)", async () => {
      const { massMention, anchor } = rig.harness.hostile;
      await edit("r2", `hey ${massMention} look\n${anchor}`);
      expect(await rig.harness.posted(1)).toMatchObject([{ pings: false, anchored: false, text: saying("look") }]);
    });

    it.for(REASONS)(
      "when the platform is %s, then the failure has the matching reason",
      async ([fault, reasons], { skip }) => {
        skip(rig.adapter.capabilities.resend === "log", "there is no platform that could fail");
        rig.harness.breakPlatform(fault);
        expect(reasons).toContain(await reasonOf(edit("r2", "second text")));
        rig.harness.recoverPlatform();
        await edit("r2", "second text", { byHand: true });
        expect(await rig.harness.posted(1)).toMatchObject([{ messageId, text: saying("second text") }]);
      },
    );

    it("when the message was deleted, then the failure says so", async ({ skip }) => {
      skip(rig.adapter.capabilities.resend === "log", "entries of a log cannot be deleted");
      rig.harness.removePost(messageId);
      expect(await failureOf(edit("r2", "second text"))).toHaveProperty("reason", "target-gone");
    });
  });
};

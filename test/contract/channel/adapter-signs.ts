import { describe, expect, it } from "vitest";
import {
  isReactingAdapter,
  isSignalAdapter,
  isTypingAdapter,
  isWorkMarkingAdapter,
} from "../../../adapters/contract/abilities.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { ContractRig } from "./contract-rig.ts";

/** Typing and drafts: what people see before an answer. */
export const adapterSigns = (makeHarness: MakeHarness): void => {
  describe("given an agent that works on an answer", () => {
    const rig = new ContractRig(makeHarness, { start: true });

    it("when the adapter shows typing, then people see it in that conversation only (C1)", async ({ skip }) => {
      const { adapter, harness } = rig;
      if (!isTypingAdapter(adapter)) return skip("the adapter shows no typing indicator");
      const thread = harness.platform.threads ? ({ thread: "second" } as const) : {};
      const target = await rig.conversationWith({ kind: rig.widestKind, ...thread });
      await adapter.deliver(sampleDelivery("r1", target, "here"));
      const [post] = await harness.posted(1);
      const signs = await harness.signsDuring(() => adapter.showTyping(target));
      expect(signs).toEqual([{ type: "typing", where: post?.where }]);
      expect(await harness.posted(1)).toHaveLength(1);
    });

    it("when the adapter marks a message as seen, also twice, then people see a reaction to that message (C1)", async ({
      skip,
    }) => {
      const { adapter, harness } = rig;
      if (!isReactingAdapter(adapter)) return skip("the channel has no reactions");
      for (const kind of harness.kinds) {
        const { conversation, messageId = "" } = await rig.accepted({ text: "please look", kind });
        await rig.accepted({ text: "another one", kind });
        await adapter.deliver(sampleDelivery(`r-${kind}`, conversation, `here in ${kind}`));
        const post = (await harness.posted(1)).find(({ text }) => text.includes(kind));
        const signs = await harness.signsDuring(() => adapter.markSeen(conversation, messageId));
        expect(signs).toEqual([{ type: "seen", where: post?.where, messageId }]);
        await adapter.markSeen(conversation, messageId);
      }
    });

    it("when the adapter marks a message as worked on, then people see that reaction until it is removed (C1)", async ({
      skip,
    }) => {
      const { adapter, harness } = rig;
      if (!isWorkMarkingAdapter(adapter)) return skip("the channel does not mark work");
      for (const kind of harness.kinds) {
        const { conversation, messageId = "" } = await rig.accepted({ text: "please work", kind });
        await rig.accepted({ text: "another one", kind });
        await adapter.deliver(sampleDelivery(`r-${kind}`, conversation, `here in ${kind}`));
        const { where = "" } = (await harness.posted(1)).find(({ text }) => text.includes(kind)) ?? {};
        if (isReactingAdapter(adapter)) await adapter.markSeen(conversation, messageId);
        const begun = await harness.signsDuring(() => adapter.markWorking(conversation, messageId));
        expect(begun).toEqual([{ type: "working", where, messageId }]);
        await adapter.markWorking(conversation, messageId);
        const ended = await harness.signsDuring(() => adapter.unmarkWorking(conversation, messageId));
        expect(ended).toEqual([{ type: "working-ended", where, messageId }]);
      }
    });

    it("when the mark of a message is removed twice, then the second removal changes nothing (C1)", async ({
      skip,
    }) => {
      const { adapter, harness } = rig;
      if (!isWorkMarkingAdapter(adapter)) return skip("the channel does not mark work");
      const { conversation, messageId = "" } = await rig.accepted({ text: "please work" });
      await adapter.markWorking(conversation, messageId);
      await adapter.unmarkWorking(conversation, messageId);
      const again = await harness.signsDuring(() => adapter.unmarkWorking(conversation, messageId));
      expect(again.filter(({ type }) => type !== "seen")).toEqual([]);
    });

    it("when it gets signals of its channel, then people in that conversation see typing and the draft (C1)", async ({
      skip,
    }) => {
      const { adapter, harness } = rig;
      if (!isSignalAdapter(adapter)) return skip("the adapter takes no signals");
      const { id: correlationId, conversation } = await rig.accepted({ text: "a question", person: "ann" });
      await rig.accepted({ text: "another one", person: "bob" });
      await adapter.deliver(sampleDelivery("r1", conversation, "here"));
      const [post] = await harness.posted(1);
      const draft = { type: "delta", correlationId, attempt: 1, offset: 0, text: "The answer" } as const;
      const signs = await harness.signsDuring(async () => {
        adapter.onSignal({ type: "typing", conversation });
        adapter.onSignal({ ...draft, conversation });
        const foreign = { ...conversation, channel: "other" };
        adapter.onSignal({ type: "typing", conversation: foreign });
        adapter.onSignal({ ...draft, conversation: foreign });
      });
      expect(signs).toEqual([
        { type: "typing", where: post?.where },
        { type: "draft", where: post?.where, text: "The answer" },
      ]);
    });
  });
};

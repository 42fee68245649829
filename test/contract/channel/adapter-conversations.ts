import { beforeEach, describe, expect, it } from "vitest";
import type { RoomMove } from "../../../adapters/contract/abilities.ts";
import {
  isDirectMessageAdapter,
  isMovingRoomsAdapter,
  isPermalinkAdapter,
} from "../../../adapters/contract/abilities.ts";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { ContractRig, deliveryWithButtons, failureOf, reasonOf } from "./contract-rig.ts";

/** Threads, answers, parts, permalinks and private conversations. */
export const adapterConversations = (makeHarness: MakeHarness): void => {
  describe("given threads and answers", () => {
    const rig = new ContractRig(makeHarness, { start: true });
    const whereOf = async (text: string) =>
      (await rig.harness.posted(1)).find((post) => post.text.includes(text))?.where;

    it("when people write in two threads of a room, then each is a conversation, and answers stay in it (O3)", async ({
      skip,
    }) => {
      skip(!rig.harness.platform.threads, "rooms have no threads");
      const first = await rig.conversationWith({ kind: "shared", thread: "first" });
      const second = await rig.conversationWith({ kind: "shared", thread: "second" });
      expect(first.room).toBe(second.room);
      expect(first.thread).not.toBe(second.thread);
      await rig.adapter.deliver(sampleDelivery("r1", first, "one"));
      await rig.adapter.deliver(sampleDelivery("r2", second, "two"));
      await rig.adapter.deliver(sampleDelivery("r3", first, "three"));
      expect(await whereOf("one")).toBe(await whereOf("three"));
      expect(await whereOf("one")).not.toBe(await whereOf("two"));
      expect(conversationKey(await rig.conversationWith({ kind: "shared", thread: "first" }))).toBe(
        conversationKey(first),
      );
    });

    it("when a person answers a message of the bot, then the message names it (O15)", async ({ skip }) => {
      skip(!rig.harness.platform.replies, "the platform has no answers to one message");
      for (const kind of rig.harness.kinds) {
        // A message outside of threads: in a thread, some platforms only name its first message.
        const { thread: _, ...target } = await rig.conversationWith({ kind });
        const { messageId } = await rig.adapter.deliver(sampleDelivery(`r-${kind}`, target, "a report"));
        expect(await rig.accepted({ text: "go on", kind, replyTo: messageId })).toMatchObject({ replyTo: messageId });
      }
    });

    it("when a reply has three parts, then they are three messages in one place, and only the last one has buttons (D7)", async () => {
      for (const kind of rig.harness.kinds) {
        const target = await rig.conversationWith({ kind });
        // Where a platform starts a thread for each new post, the parts belong into one.
        const { thread: _, ...room } = target;
        await expectParts(rig, kind, target);
        await expectParts(rig, `${kind}-room`, room);
      }
    });

    it("when a reply answers a message, then its first part shows that message, and a proactive reply shows none", async ({
      skip,
    }) => {
      skip(!rig.harness.platform.quotes, "the platform does not show which message is answered");
      const { conversation, messageId } = await rig.accepted({ text: "which one?", kind: "shared" });
      const part = (index: number, id: string) => ({
        ...sampleDelivery(id, conversation, "this one"),
        answers: messageId ?? "none",
        part: { index, count: 2, markdown: `part ${index}` },
      });
      await rig.adapter.deliver(part(0, "r1"));
      await rig.adapter.deliver(part(1, "r2"));
      await rig.adapter.deliver(sampleDelivery("r3", conversation, "news"));
      const shown = (await rig.harness.posted(3)).map(({ answers }) => answers);
      expect(shown).toEqual([messageId, undefined, undefined]);
    });

    it("when a delivery is for another channel, then it is rejected, and nothing is posted (C6)", async () => {
      const target = await rig.conversationWith();
      const foreign = { ...target, channel: "other" };
      expect(await reasonOf(rig.adapter.deliver(sampleDelivery("r1", foreign, "not here")))).toBe("rejected");
      expect(await rig.harness.posted(0)).toEqual([]);
    });
  });

  describe("given a platform whose rooms can get another id", () => {
    const rig = new ContractRig(makeHarness, { start: true });
    let moves: RoomMove[];
    beforeEach(({ skip }) => {
      moves = [];
      if (!isMovingRoomsAdapter(rig.adapter)) return skip("rooms keep their ids");
      rig.adapter.reportMovesTo(async (move) => void moves.push(move));
    });

    it("when a room moves, then the adapter reports it, and a delivery to the old id names the new one", async () => {
      const before = await rig.conversationWith({ kind: "shared" });
      expect(await rig.harness.moveRoom()).not.toBe("refused");
      const after = await rig.conversationWith({ kind: "shared" });
      expect(moves).toEqual([{ from: before.room, to: after.room }]);
      expect(await failureOf(rig.adapter.deliver(sampleDelivery("r1", before, "too late")))).toMatchObject({
        reason: "moved",
        movedTo: after.room,
      });
      await rig.adapter.deliver(sampleDelivery("r1", after, "in time"));
      expect(await rig.harness.posted(1)).toMatchObject([{ text: expect.stringContaining("in time") }]);
    });

    it("when the move cannot be stored, then it is not acknowledged", async () => {
      if (isMovingRoomsAdapter(rig.adapter)) rig.adapter.reportMovesTo(() => Promise.reject(new Error("away")));
      expect(await rig.harness.moveRoom()).not.toBe("acknowledged");
    });
  });

  describe("given an adapter that links to messages", () => {
    const rig = new ContractRig(makeHarness, { start: true });

    it("when a link is requested, then it leads to the message (O10)", async ({ skip }) => {
      const { adapter, harness } = rig;
      if (!isPermalinkAdapter(adapter)) return skip("the adapter has no permalinks");
      const links = [];
      for (const kind of harness.kinds) {
        const target = await rig.conversationWith({ kind });
        await adapter.deliver(sampleDelivery(`r1-${kind}`, target, `before ${kind}`));
        const { messageId } = await adapter.deliver(sampleDelivery(`r2-${kind}`, target, `linked ${kind}`));
        const link = await adapter.permalink(target, messageId);
        if (link !== undefined) expect(await harness.textAt(link)).toContain(`linked ${kind}`);
        links.push(link);
      }
      expect(links.some((link) => link !== undefined)).toBe(true);
    });

    it("when a person's message has a link, then it leads to that message (O10)", async () => {
      for (const kind of rig.harness.kinds) {
        await rig.accepted({ text: "another question", kind });
        const { link } = await rig.accepted({ text: `the question in ${kind}`, kind });
        if (link !== undefined) expect(await rig.harness.textAt(link)).toContain(`the question in ${kind}`);
      }
    });
  });

  describe("given an adapter that opens private conversations", () => {
    const rig = new ContractRig(makeHarness, { start: true });

    it("when it opens one with a person, then only that person gets messages there (I3)", async ({ skip }) => {
      const { adapter } = rig;
      if (!isDirectMessageAdapter(adapter)) return skip("the adapter cannot open private conversations");
      const own = await rig.conversationWith({ kind: "private", person: "ann" });
      const { account } = await rig.accepted({ text: "hi", kind: rig.widestKind, person: "ann" });
      const opened = await adapter.privateConversation(account.id);
      expect(opened).toMatchObject({ channel: "main", kind: "private" });
      await adapter.deliver(sampleDelivery("r1", own, "in her own"));
      await adapter.deliver(sampleDelivery("r2", JSON.parse(JSON.stringify(opened)), "in the opened one"));
      const posts = await rig.harness.posted(2);
      expect(new Set(posts.map(({ where }) => where)).size).toBe(1);
    });

    it("when the account does not exist, then the failure is final", async ({ skip }) => {
      const { adapter } = rig;
      if (!isDirectMessageAdapter(adapter)) return skip("the adapter cannot open private conversations");
      expect(["target-gone", "forbidden", "rejected"]).toContain(
        await reasonOf(adapter.privateConversation("999999999999999999")),
      );
    });
  });
};

const expectParts = async (rig: ContractRig, id: string, target: Conversation): Promise<void> => {
  const { reply } = deliveryWithButtons(id, target, "whole", [{ name: "why", label: "Why" }]);
  const before = (await rig.harness.posted(0)).length;
  let firstMessageId: string | undefined;
  const receipts: string[] = [];
  for (const index of [0, 1, 2]) {
    const delivery: Delivery = {
      ...sampleDelivery(id, target, ""),
      id: `${id}/${conversationKey(target)}/${index}`,
      reply,
      part: { index, count: 3, markdown: `part ${index} of ${id}` },
      ...(firstMessageId !== undefined && { firstMessageId }),
    };
    const { messageId } = await rig.adapter.deliver(delivery);
    firstMessageId ??= messageId;
    receipts.push(messageId);
    if (index === 1) await rig.restart();
  }
  const parts = (await rig.harness.posted(before + 3)).filter(({ text }) => text.includes(`of ${id}`));
  expect(parts.map(({ messageId }) => messageId)).toEqual(receipts);
  expect(parts.map(({ text }) => text.trim())).toEqual([0, 1, 2].map((index) => `part ${index} of ${id}`));
  expect(new Set(receipts).size).toBe(3);
  expect(new Set(parts.map(({ where }) => where)).size).toBe(1);
  if (rig.harness.platform.buttons) expect(parts.map(({ buttons }) => buttons)).toEqual([[], [], ["Why"]]);
};

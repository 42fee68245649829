import { beforeEach, describe, expect, it } from "vitest";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { ContractRig } from "./contract-rig.ts";

/** Which messages reach the agent, and whose. */
export const adapterAuthors = (makeHarness: MakeHarness): void => {
  describe("given messages of bots, edits, and messages without a mention", () => {
    const rig = new ContractRig(makeHarness, { start: true });
    const offered = () => rig.inbox.offered.items.map(({ text }) => text);

    it.for(["this bot", "another bot"] as const)(
      "when %s writes, then the message does not reach the agent, and the bot gets no answer",
      async (person, { skip }) => {
        skip(!rig.harness.platform.bots, "the platform does not report posts of bots");
        for (const kind of rig.harness.kinds) {
          await rig.harness.userSays({ text: "beep", person, kind });
          // Messages of a conversation stay in order, so the one of the bot is settled after this one.
          await rig.accepted({ text: `hello in ${kind}`, kind });
        }
        expect(offered()).toEqual(rig.harness.kinds.map((kind) => `hello in ${kind}`));
        // Two bots that refuse each other's messages would never stop.
        await rig.adapter.deliver(sampleDelivery("r1", await rig.conversationWith(), "the end"));
        const posts = (await rig.harness.posted(1)).filter(({ text }) => !text.includes("beep"));
        expect(posts).toMatchObject([{ text: expect.stringContaining("the end") }]);
      },
    );

    it("when a person does not mention the bot in a shared conversation, then the message does not reach it", async ({
      skip,
    }) => {
      skip(!rig.harness.platform.mentions, "people do not mention the bot");
      await rig.harness.userSays({ text: "not for you", kind: "shared", mention: false });
      await rig.accepted({ text: "for you", kind: "shared" });
      expect(offered()).toEqual(["for you"]);
    });

    it("when a person answers the bot's message without a mention, then the answer reaches it", async ({ skip }) => {
      const { harness } = rig;
      skip(!harness.platform.unmentionedReplies, "the platform does not report such answers");
      const { thread: _, ...target } = await rig.conversationWith({ kind: "shared" });
      const { messageId } = await rig.adapter.deliver(sampleDelivery("r1", target, "what do you think?"));
      const answer = await rig.accepted({ text: "indeed", kind: "shared", mention: false, replyTo: messageId });
      expect(answer).toMatchObject({ text: "indeed", replyTo: messageId });
    });

    it("when a person edits a message, then the edit has the id of the message, or does not reach the agent", async ({
      skip,
    }) => {
      skip(!rig.harness.platform.edits, "people cannot edit messages");
      for (const kind of rig.harness.kinds) {
        const before = rig.inbox.offered.items.length;
        const original = await rig.accepted({ text: `first ${kind}`, event: `event-${kind}`, kind });
        await rig.harness.userEdits({ text: `second ${kind}`, event: `event-${kind}`, kind });
        await rig.accepted({ text: `next ${kind}`, kind });
        const isEditable = original.kind === "message" && original.editable === true;
        const edit = { kind: "edit", id: original.id, text: `second ${kind}` };
        const between = rig.inbox.offered.items.slice(before + 1, -1);
        expect(between).toMatchObject(isEditable ? [edit] : []);
      }
    });
  });

  describe("given an agent that reads every message of a shared room", () => {
    const rig = new ContractRig(makeHarness, { start: true, listens: "all" });

    beforeEach(({ skip }) => skip(!rig.harness.platform.mentions, "people do not mention the bot"));

    it("when a person does not mention the bot, then the message reaches it", async () => {
      const message = await rig.accepted({ text: "for everyone", kind: "shared", mention: false });
      expect(message).toMatchObject({ text: "for everyone", conversation: { kind: "shared" } });
    });

    it("when a bot writes, then the message still does not reach the agent", async ({ skip }) => {
      skip(!rig.harness.platform.bots, "the platform does not report posts of bots");
      await rig.harness.userSays({ text: "beep", person: "this bot", kind: "shared", mention: false });
      await rig.harness.userSays({ text: "boop", person: "another bot", kind: "shared", mention: false });
      await rig.accepted({ text: "hello", kind: "shared" });
      expect(rig.inbox.offered.items.map(({ text }) => text)).toEqual(["hello"]);
    });
  });
};

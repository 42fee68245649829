import { describe, expect, it } from "vitest";
import { AppError } from "../../../core/contract/app-error.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { UserMessage } from "../../../core/contract/messages/user-message.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { ContractRig } from "./contract-rig.ts";

/** Messages of people. */
export const adapterIntake = (makeHarness: MakeHarness): void => {
  describe("given a started adapter, and messages of people", () => {
    const rig = new ContractRig(makeHarness, { start: true });

    it("when a person writes, then the inbox gets the message with channel, conversation and account (O3)", async () => {
      const message = await rig.accepted({ text: "what is new?" });
      expect(UserMessage.safeParse(message).error).toBeUndefined();
      expect(message.text).toBe("what is new?");
      expect(message.conversation).toMatchObject({ channel: "main", kind: rig.harness.kinds[0] });
      expect(rig.adapter.channel).toBe("main");
    });

    it("when a person mentions the bot in a shared conversation, then the text is without that mention", async ({
      skip,
    }) => {
      skip(!rig.harness.kinds.includes("shared"), "there are no shared conversations");
      expect(await rig.accepted({ text: "what is new?", kind: "shared" })).toMatchObject({ text: "what is new?" });
    });

    it("when the platform reports the time of a message, then the message has it (O3)", async ({ skip }) => {
      skip(!rig.harness.platform.times, "the platform reports no times");
      const at = "2026-03-04T05:06:07.000Z";
      const { sentAt } = await rig.accepted({ text: "some time ago", at });
      expect(Date.parse(sentAt)).toBe(Date.parse(at));
    });

    it("when the platform reports no time, then the message has the time of its arrival (O3)", async ({ skip }) => {
      skip(rig.harness.platform.times, "the platform reports times");
      const before = Date.now();
      const { sentAt } = await rig.accepted({ text: "just now" });
      expect(Date.parse(sentAt)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(sentAt)).toBeLessThanOrEqual(Date.now());
    });

    it("when messages of two conversations have the same platform id, then their ids differ", async ({ skip }) => {
      const { kinds, platform } = rig.harness;
      skip(!platform.idsPerRoom, "a platform id is unique");
      const [first, second] =
        kinds.length > 1 ? kinds.map((kind) => ({ kind })) : [{ person: "ann" } as const, { person: "bob" } as const];
      const one = await rig.accepted({ text: "one", event: "event-1", ...first });
      const two = await rig.accepted({ text: "two", event: "event-1", ...second });
      expect(two.id).not.toBe(one.id);
    });

    it("when two people write, then they have different accounts, and each account is stable", async () => {
      const ann = await rig.accepted({ text: "one", person: "ann" });
      const bob = await rig.accepted({ text: "two", person: "bob" });
      const annAgain = await rig.accepted({ text: "three", person: "ann" });
      expect(annAgain.account.id).toBe(ann.account.id);
      expect(bob.account.id).not.toBe(ann.account.id);
    });

    it("when a person writes in conversations of each kind, then each is a stable conversation of its kind", async () => {
      const keys = new Set<string>();
      for (const kind of rig.harness.kinds) {
        const first = await rig.conversationWith({ kind });
        expect(first.kind).toBe(kind);
        expect(conversationKey(await rig.conversationWith({ kind }))).toBe(conversationKey(first));
        keys.add(conversationKey(first));
      }
      expect(keys.size).toBe(rig.harness.kinds.length);
    });

    it("when the platform redelivers an event, then the message id is the same, also after a restart", async () => {
      const first = await rig.accepted({ text: "once", event: "event-1" });
      await rig.harness.userSays({ text: "once", event: "event-1" });
      await rig.restart();
      await rig.harness.userSays({ text: "once", event: "event-1" });
      const other = await rig.accepted({ text: "other", event: "event-2" });
      const repeats = rig.inbox.accepted.items.filter(({ text }) => text.includes("once"));
      expect(new Set(repeats.map(({ id }) => id))).toEqual(new Set([first.id]));
      expect(other.id).not.toBe(first.id);
    });

    it("when a message is not stored yet, then it is not acknowledged", async () => {
      const target = await rig.conversationWith({ person: "bob" });
      const store = rig.inbox.holdNext();
      let answer = "waiting";
      const first = rig.harness.userSays({ text: "held", person: "ann" }).then((given) => {
        answer = given;
      });
      await rig.inbox.offered.count(2);
      // A premature acknowledgement would arrive before this post. A message of another person would not do: a platform
      // with cumulative acknowledgements, such as long polling, delivers it only after the first one.
      await rig.adapter.deliver(sampleDelivery("r1", target, "meanwhile"));
      await rig.harness.posted(1);
      expect(answer).not.toBe("acknowledged");
      store();
      await first;
      expect(answer).not.toBe("refused");
      await rig.inbox.accepted.count(2);
    });

    it("when a message cannot be stored, then it is not acknowledged, and its retry is accepted", async () => {
      rig.inbox.refuseNext(new AppError("unavailable", "the store is away"));
      expect(await rig.harness.userSays({ text: "again", event: "event-1" })).not.toBe("acknowledged");
      // A platform without redelivery on request may have sent it again already.
      if (rig.inbox.accepted.items.length === 0) await rig.harness.userSays({ text: "again", event: "event-1" });
      const [repeated] = await rig.inbox.accepted.count(1);
      expect(new Set(rig.inbox.offered.items.map(({ id }) => id))).toEqual(new Set([repeated?.id]));
    });
  });
};

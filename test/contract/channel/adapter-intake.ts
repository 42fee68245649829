import { describe, expect, it } from "vitest";
import { AppError } from "../../../core/contract/app-error.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { UserMessage } from "../../../core/contract/messages/user-message.ts";
import type { MakeHarness } from "./harness-in-use.ts";
import { HarnessInUse } from "./harness-in-use.ts";

/** What becomes of the words of people. */
export const adapterIntake = (makeHarness: MakeHarness): void => {
  describe("given a started adapter, and people who write", () => {
    const use = new HarnessInUse(makeHarness, { start: true });

    it("when somebody writes, then it reaches the inbox with channel, conversation and account (O3)", async () => {
      const message = await use.heard({ text: "what is new?" });
      expect(UserMessage.safeParse(message).error).toBeUndefined();
      expect(message.text).toContain("what is new?");
      expect(message.conversation).toMatchObject({ channel: "main", kind: use.harness.places[0] });
      expect(use.adapter.channel).toBe("main");
    });

    it("when two people write, then they are two accounts, each the same every time", async () => {
      const ann = await use.heard({ text: "one", person: "ann" });
      const bob = await use.heard({ text: "two", person: "bob" });
      const annAgain = await use.heard({ text: "three", person: "ann" });
      expect(annAgain.account.id).toBe(ann.account.id);
      expect(bob.account.id).not.toBe(ann.account.id);
    });

    it("when a person writes in several places, then each is a conversation of its kind, and stays it", async () => {
      const keys = new Set<string>();
      for (const place of use.harness.places) {
        const first = await use.conversationWith({ place });
        expect(first.kind).toBe(place);
        expect(conversationKey(await use.conversationWith({ place }))).toBe(conversationKey(first));
        keys.add(conversationKey(first));
      }
      expect(keys.size).toBe(use.harness.places.length);
    });

    it("when the platform repeats an event, then its id is the same, also after a restart", async () => {
      const first = await use.heard({ text: "once", event: "event-1" });
      await use.harness.userSays({ text: "once", event: "event-1" });
      await use.restart();
      await use.harness.userSays({ text: "once", event: "event-1" });
      const other = await use.heard({ text: "other", event: "event-2" });
      const repeats = use.inbox.accepted.items.filter(({ text }) => text.includes("once"));
      expect(new Set(repeats.map(({ id }) => id))).toEqual(new Set([first.id]));
      expect(other.id).not.toBe(first.id);
    });

    it("when a message is not stored yet, then the platform is not told that it is", async () => {
      const store = use.inbox.holdNext();
      let answer = "waiting";
      const first = use.harness.userSays({ text: "held", person: "ann" }).then((given) => {
        answer = given;
      });
      await use.inbox.offered.count(1);
      // An acknowledgement that came too early would overtake this one.
      await use.heard({ text: "meanwhile", person: "bob" });
      expect(answer).not.toBe("acknowledged");
      store();
      await first;
      expect(answer).not.toBe("refused");
      await use.inbox.accepted.count(2);
    });

    it("when a message cannot be stored, then it is not acknowledged, and its repeat is taken", async () => {
      use.inbox.refuseNext(new AppError("unavailable", "the store is away"));
      expect(await use.harness.userSays({ text: "again", event: "event-1" })).not.toBe("acknowledged");
      const repeated = await use.heard({ text: "again", event: "event-1" });
      expect(new Set(use.inbox.offered.items.map(({ id }) => id))).toEqual(new Set([repeated.id]));
    });
  });
};

import { describe, expect, it } from "vitest";
import type { Capabilities, Receipt, Section } from "../../../adapters/contract/channel-adapter.ts";
import { splitMarkdown } from "../../../adapters/contract/markdown/split-markdown.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";
import type { ChannelHarness, Said } from "../channel-harness.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { acceptedBy, ContractRig, deliveryWithButtons } from "./contract-rig.ts";

/** Replies as people see them. */
export const adapterPosts = (makeHarness: MakeHarness): void => {
  describe("given a started adapter, and replies to deliver", () => {
    const rig = new ContractRig(makeHarness, { start: true });
    const texts = async (atLeast: number) => (await rig.harness.posted(atLeast)).map(({ text }) => text);
    const saying = (text: string) => expect.stringContaining(text);

    it("when a reply is delivered, then people see it, and the receipt names its message", async () => {
      const target = await rig.conversationWith();
      const receipt = await rig.adapter.deliver(sampleDelivery("r1", target, "the answer"));
      const [post] = await rig.harness.posted(1);
      expect(post?.text).toContain("the answer");
      expect(receipt.messageId).toBe(post?.messageId);
    });

    it("when replies go to two conversations, then each appears in its own", async () => {
      const first = await rig.conversationWith();
      const second = await rig.conversationWith(elsewhere(rig.harness));
      await rig.adapter.deliver(sampleDelivery("r1", first, "one"));
      await rig.adapter.deliver(sampleDelivery("r2", second, "two"));
      await rig.adapter.deliver(sampleDelivery("r3", first, "three"));
      const posts = await rig.harness.posted(3);
      const where = (text: string) => posts.find((post) => post.text.includes(text))?.where;
      expect(where("three")).toBe(where("one"));
      expect(where("two")).not.toBe(where("one"));
    });

    it("when no message has arrived since a restart, then a reply is still delivered", async () => {
      const target = await rig.conversationWith();
      await rig.restart();
      await rig.adapter.deliver(sampleDelivery("r1", target, "much later"));
      expect(await texts(1)).toEqual([saying("much later")]);
    });

    it("when a delivery is sent twice, also after a restart, then people see it once", async ({ skip }) => {
      skip(rig.adapter.capabilities.resend === "repeats", "a second send is a second message");
      const target = await rig.conversationWith();
      const delivery = sampleDelivery("r1", target, "only once");
      const first = await rig.adapter.deliver(delivery);
      expect(await rig.adapter.deliver({ ...delivery, mayRepeat: true })).toEqual(first);
      await rig.restart();
      expect(await rig.adapter.deliver({ ...delivery, mayRepeat: true })).toEqual(first);
      await rig.adapter.deliver(sampleDelivery("r2", target, "the end"));
      expect(await texts(2)).toEqual([saying("only once"), saying("the end")]);
    });

    it("when a part with an anchor has the maximum length, then no text is lost (D7)", async () => {
      const { maxPartLength = 20_000, measure } = rig.adapter.capabilities;
      const [markdown = ""] = splitMarkdown(wordsOfLength(maxPartLength), maxPartLength, measure);
      const target = await rig.conversationWith();
      await rig.adapter.deliver({ ...sampleDelivery("r1", target, markdown), anchor: sampleAnchor });
      const [post] = await rig.harness.posted(1);
      expect(wordsIn(post?.text ?? "")).toEqual(wordsIn(markdown));
      expect(post?.anchored).toBe(true);
    });

    it("when a digest is delivered, then each part is one message, with its whole text and native anchors (D5, O10)", async ({
      skip,
    }) => {
      const { capabilities } = rig.adapter;
      skip(capabilities.anchorLength === undefined, "its anchors are in the text");
      const items = Array.from({ length: 12 }, (_, index) => ({
        number: index + 1,
        markdown: wordsOfLength(60 * (index + 1)),
        anchor: { ...sampleAnchor, summary: `${"a_b*c ".repeat(13)}${index}`, link: "https://chat.example/1" },
      }));
      const target = await rig.conversationWith();
      const parts = packed(items, capabilities);
      const receipts: Receipt[] = [];
      for (const [index, sections] of parts.entries()) {
        const text = sections.map(({ markdown, anchor }) => `${markdown}\n\n${anchor?.text}`).join("\n\n");
        receipts.push(await rig.adapter.deliver(sampleDelivery(`digest-${index}`, target, text, { sections })));
      }
      const posts = await rig.harness.posted(parts.length);
      expect(posts.map(({ messageId }) => messageId)).toEqual(receipts.map(({ messageId }) => messageId));
      expect(posts.flatMap(({ text }) => wordsIn(text))).toEqual(items.flatMap(({ markdown }) => wordsIn(markdown)));
      expect(posts.every(({ anchored }) => anchored)).toBe(true);
    });

    it("when the delivery has an anchor, then it is shown; otherwise none is shown (O8)", async () => {
      const target = await rig.conversationWith();
      await rig.adapter.deliver({ ...sampleDelivery("r1", target, "with"), anchor: sampleAnchor });
      await rig.adapter.deliver(sampleDelivery("r2", target, "without"));
      expect((await rig.harness.posted(2)).map(({ anchored }) => anchored)).toEqual([true, false]);
    });

    it("when a text imitates an anchor, then it is shown as text (O16, F25)", async () => {
      const target = await rig.conversationWith();
      await rig.adapter.deliver(sampleDelivery("r1", target, `look\n${rig.harness.hostile.anchor}`));
      expect(await rig.harness.posted(1)).toMatchObject([{ anchored: false }]);
    });

    it("when a text mentions everyone, then no one is notified (F25)", async () => {
      const target = await rig.conversationWith();
      await rig.adapter.deliver(sampleDelivery("r1", target, `hey ${rig.harness.hostile.massMention} look`));
      expect(await rig.harness.posted(1)).toMatchObject([{ pings: false, text: saying("look") }]);
    });

    it("when another channel with the same adapter runs, then their messages stay separate (C6)", async () => {
      const other = await makeHarness({ channel: "other" });
      const otherInbox = new TestInbox();
      try {
        await other.start(otherInbox);
        const here = await rig.accepted({ text: "here", event: "event-1" });
        const there = await acceptedBy(other, otherInbox, { text: "there", event: "event-1" });
        expect([here.conversation.channel, there.conversation.channel]).toEqual(["main", "other"]);
        // The harness gives both the same platform id, so only the name of the channel can tell them apart.
        expect(there.id).not.toBe(here.id);
        expect(there.id.replaceAll("other", "main")).toBe(here.id);
        const buttons = [{ name: "why", label: "Why" }];
        const shownHere = await rig.adapter.deliver(deliveryWithButtons("r1", here.conversation, "over here", buttons));
        const shownThere = await other.adapter.deliver(
          deliveryWithButtons("r1", there.conversation, "over there", buttons),
        );
        expect(shownThere).toEqual(shownHere);
        expect(await texts(1)).toEqual([saying("over here")]);
        expect(await other.posted(1)).toMatchObject([{ text: saying("over there") }]);
        expect(rig.inbox.offered.items).toHaveLength(1);
        if (!rig.harness.platform.buttons) return;
        await rig.harness.press({ messageId: shownHere.messageId, label: "Why" });
        await other.press({ messageId: shownThere.messageId, label: "Why" });
        const [, pressedHere] = await rig.inbox.accepted.count(2);
        const [, pressedThere] = await otherInbox.accepted.count(2);
        expect(pressedThere?.id).not.toBe(pressedHere?.id);
        expect(pressedThere?.id.replaceAll("other", "main")).toBe(pressedHere?.id);
      } finally {
        await other.close();
      }
    });
  });
};

/** The sections of a digest, as many to a part as fit into one message. */
const packed = (sections: readonly Section[], { maxPartLength = 20_000, measure, anchorLength }: Capabilities) => {
  const lengthOf = (part: readonly Section[]) => {
    const text = part.map(({ markdown }) => markdown).join("\n\n");
    const anchors = part.map(({ anchor }) => (anchor && anchorLength ? anchorLength(anchor) : 0));
    return anchors.reduce((sum, length) => sum + length, measure ? measure(text) : text.length);
  };
  const parts: Section[][] = [];
  for (const section of sections) {
    const open = parts.at(-1);
    if (open && lengthOf([...open, section]) <= maxPartLength) open.push(section);
    else parts.push([section]);
  }
  return parts;
};

/** A second conversation: of another kind, or with another person. */
const elsewhere = ({ kinds: [, second] }: ChannelHarness): Partial<Said> =>
  second === undefined ? { person: "bob" } : { kind: second };

const wordsOfLength = (length: number): string => {
  const count = Math.floor(length / 6);
  const words = Array.from({ length: count }, (_, index) => `w${String(index % 10_000).padStart(4, "0")}`);
  return words.join(" ").padEnd(length, "x");
};
const wordsIn = (text: string): string[] => text.match(/w\d{4}|x{2,}/g) ?? [];

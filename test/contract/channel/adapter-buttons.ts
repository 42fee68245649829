import { beforeEach, describe, expect, it } from "vitest";
import { isEditingAdapter, isEphemeralAdapter } from "../../../adapters/contract/abilities.ts";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { CommandMessage, InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import type { Press } from "../channel-harness.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { ContractRig, deliveryWithButtons, reasonOf } from "./contract-rig.ts";

const CANCEL = { name: "cancel", label: "Cancel it", value: "task 7: a/b" };
const WHY = { name: "why", label: "Why" };
/** The product answers this command only to its sender. */
const PRIVATE = { name: "budget", label: "Budget" };

/** Buttons below replies, and answers that only one person sees. */
export const adapterButtons = (makeHarness: MakeHarness): void => {
  describe("given a reply with buttons", () => {
    const rig = new ContractRig(makeHarness, { start: true });
    let target: Conversation;
    let messageId: string;
    const pressed = async (press: Omit<Press, "messageId">): Promise<CommandMessage> => {
      const before = rig.inbox.accepted.items.length;
      expect(await rig.harness.press({ messageId, ...press })).not.toBe("refused");
      const isIt = ({ kind }: InboundMessage, at: number) => at >= before && kind === "command";
      return (await rig.inbox.accepted.until((items) => items.some(isIt))).find(isIt) as CommandMessage;
    };

    beforeEach(async ({ skip }) => {
      skip(!rig.harness.platform.buttons, "the platform has no buttons");
      target = await rig.conversationWith({ kind: rig.widestKind });
      ({ messageId } = await rig.adapter.deliver(deliveryWithButtons("r1", target, "working", [CANCEL, WHY, PRIVATE])));
    });

    it("when it is delivered, then people see its buttons in order", async () => {
      expect(await rig.harness.posted(1)).toMatchObject([{ buttons: ["Cancel it", "Why", "Budget"] }]);
    });

    it("when a person presses one, then the inbox gets its command and value, who pressed it, and where", async () => {
      const { account } = await rig.accepted({ text: "it is me", kind: rig.widestKind });
      const message = await pressed({ label: "Cancel it" });
      expect(message.command).toEqual({ name: "cancel", args: "task 7: a/b" });
      expect(message.account.id).toBe(account.id);
      expect(message.replyTo).toBe(messageId);
      expect(conversationKey(message.conversation)).toBe(conversationKey(target));
      expect((await pressed({ label: "Why" })).command).toEqual({ name: "why", args: "" });
    });

    it("when another person presses one, then the command is from that person", async ({ skip }) => {
      skip(rig.widestKind === "private", "another person does not see the message");
      const { account } = await rig.accepted({ text: "it is me", kind: "shared", person: "bob" });
      expect((await pressed({ label: "Why", person: "bob" })).account.id).toBe(account.id);
    });

    it("when it is pressed twice, then these are two commands", async () => {
      const first = await pressed({ label: "Why" });
      expect((await pressed({ label: "Why" })).id).not.toBe(first.id);
    });

    it("when the command cannot be stored, then the press is not acknowledged as a success", async () => {
      rig.inbox.refuseNext(new AppError("unavailable", "the store is away"));
      expect(await rig.harness.press({ messageId, label: "Why" })).not.toBe("acknowledged");
    });

    it("when it is edited to a reply without buttons, then they disappear", async ({ skip }) => {
      const { adapter } = rig;
      if (!isEditingAdapter(adapter)) return skip("messages cannot be edited");
      await adapter.edit(messageId, sampleDelivery("r2", target, "done"));
      expect(await rig.harness.posted(1)).toMatchObject([{ buttons: [] }]);
    });

    it("when the answer is for the person who pressed, then only that person sees it, or it is rejected (I3)", async ({
      skip,
    }) => {
      const { adapter, harness } = rig;
      if (!isEphemeralAdapter(adapter)) return skip("the adapter cannot show messages to one person");
      const message = await pressed({ label: "Budget" });
      const answer = await reasonOf(adapter.deliverOnlyTo(message.account.id, answerTo(message, "only for you")));
      expect(answer === "no failure" || answer === "rejected").toBe(true);
      const shown = (await harness.posted(1)).filter(({ text }) => text.includes("only for you"));
      expect(shown).toMatchObject(answer === "rejected" ? [] : [{ onlyFor: message.account.id }]);
    });

    it("when an answer is for a person who did not press, then no one else sees it (I3)", async ({ skip }) => {
      const { adapter, harness } = rig;
      if (!isEphemeralAdapter(adapter)) return skip("the adapter cannot show messages to one person");
      const message = await pressed({ label: "Budget" });
      const { account } = await rig.accepted({ text: "hello", kind: "shared", person: "bob" });
      const answer = await reasonOf(adapter.deliverOnlyTo(account.id, answerTo(message, "only for bob")));
      const shown = (await harness.posted(1)).filter(({ text }) => text.includes("only for bob"));
      expect(shown).toMatchObject(answer === "no failure" ? [{ onlyFor: account.id }] : []);
    });
  });
};

const answerTo = ({ id, conversation }: InboundMessage, text: string): Delivery =>
  sampleDelivery("r9", conversation, text, {
    reply: sampleReply("r9", conversation, text, { correlationId: id }),
  });

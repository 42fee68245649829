import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChannelAdapter, Delivery, Receipt } from "../../../../adapters/contract/channel-adapter.ts";
import { REPLACEABLE, replaces } from "../../../../core/contract/messages/replacement.ts";
import { startFanOut } from "../../../../gateway/relay/fan-out.ts";
import { startOutbox } from "../../../../gateway/relay/outbox.ts";
import { LogChannel } from "../../../fakes/log-channel.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
});
afterEach(() => rig.close());

const relay = async (adapter: ChannelAdapter): Promise<void> => {
  await adapter.start({ accept: async () => undefined });
  const consumers = [await startFanOut(rig.context, adapter), await startOutbox(rig.context, adapter)];
  rig.closes(async () => {
    await Promise.all([adapter.stop(), ...consumers.map((consumer) => consumer.close())]);
  });
};
const ACTIONS = [{ name: "approve", label: "Approve", value: "approval-1" }];
const ask = (markdown = "May I?") =>
  rig.publish("ask", room("a"), markdown, { kind: "notice", origin: null, data: REPLACEABLE, actions: ACTIONS });
const decide = (markdown = "May I?\nApproved") =>
  rig.publish("decision", room("a"), "It is approved.", {
    kind: "notice",
    origin: null,
    data: replaces({ replyId: "ask", markdown }),
  });
const next = () => rig.publish("next", room("a"), "next");
const texts = () => rig.platform.notes.map(({ text }) => text);
const untilNext = () => rig.platform.until(({ notes }) => notes.some(({ text }) => text === "next"));

describe("given a message that a later reply replaces (T4)", () => {
  it("when the platform can edit, then the message has the new text and no further message is posted", async () => {
    await relay(rig.paper("repeats", "editing"));
    await ask();
    await decide();
    await next();
    await untilNext();
    expect(texts()).toEqual(["May I?\nApproved", "next"]);
  });

  it("when the platform cannot edit, then the reply is a message of its own", async () => {
    await relay(rig.paper("repeats"));
    await ask();
    await decide();
    await next();
    await untilNext();
    expect(texts()).toEqual(["May I?", "It is approved.", "next"]);
  });

  it("when the message was never posted, then the reply is a message of its own", async () => {
    await relay(rig.paper("repeats", "editing"));
    await decide();
    await next();
    await untilNext();
    expect(texts()).toEqual(["It is approved.", "next"]);
  });

  it("when the channel has a log, then the entry is edited and its buttons are gone", async () => {
    const edits = new Recorder<{ messageId: string; delivery: Delivery }>();
    class EditableLog extends LogChannel {
      async edit(messageId: string, delivery: Delivery): Promise<Receipt> {
        edits.add({ messageId, delivery });
        return { messageId };
      }
    }
    const channel = new EditableLog("paper");
    await relay(channel);
    await ask();
    await decide();
    const [edit] = await edits.count(1);
    const [first] = channel.deliveries.items;
    expect(edit?.messageId).toBe(first?.id);
    expect(edit?.delivery.part.markdown).toBe("May I?\nApproved");
    expect(edit?.delivery.reply.actions).toBeUndefined();
    expect(channel.deliveries.items).toHaveLength(1);
  });
});

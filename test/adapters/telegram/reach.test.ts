import { describe, expect, it } from "vitest";
import type { UnreachableConversation } from "../../../adapters/contract/abilities.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { MemoryStore } from "../../fakes/memory-store.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { Refused } from "../../fakes/telegram/bot-methods.ts";
import type { FakeTelegram } from "../../fakes/telegram/fake-telegram.ts";
import { makeTelegramAdapter } from "./make-telegram-adapter.ts";
import { telegramWith } from "./running-telegram.ts";

const DAY_MS = 24 * 3_600_000;

const rigOf = async () => {
  const store = new MemoryStore();
  const clock = new ManualClock();
  const running = await telegramWith({ store, clock });
  await running.adapter.start(running.inbox);
  const { telegram, adapter } = running;
  const ann: Conversation = {
    channel: "telegram",
    room: String(telegram.world.privateChat("ann").id),
    kind: "private",
  };
  const lobby: Conversation = { channel: "telegram", room: String(telegram.world.group.id), kind: "shared" };
  let sent = 0;
  const deliver = (target: Conversation, more = {}) =>
    adapter.deliver({ ...sampleDelivery(`r${++sent}`, target, "hello"), ...more });
  const list = async (of = adapter) => {
    const found: UnreachableConversation[] = [];
    for await (const each of of.unreachable()) found.push(each);
    return found;
  };
  return { ...running, store, clock, ann, lobby, deliver, list };
};

const refuse = (telegram: FakeTelegram, status: number, text: string): void => {
  telegram.faultIn = ({ method }) => (method === "sendMessage" ? new Refused(status, text) : undefined);
};
const sends = (telegram: FakeTelegram): number =>
  telegram.calls.items.filter(({ method }) => method === "sendMessage").length;

describe("given a chat that refuses the bot", () => {
  it.each([
    ["blocked", "forbidden", 403, "Forbidden: bot was blocked by the user"],
    ["deactivated", "target-gone", 403, "Forbidden: user is deactivated"],
    ["removed", "target-gone", 403, "Forbidden: bot was kicked from the supergroup chat"],
    ["restricted", "forbidden", 400, "Bad Request: not enough rights to send text messages to the chat"],
  ] as const)(
    "when it is %s, then Telegram is asked once, and operators see the reason (C8)",
    async (state, reason, status, text) => {
      const { telegram, ann, deliver, list } = await rigOf();
      refuse(telegram, status, text);
      await expect(deliver(ann)).rejects.toMatchObject({ reason, message: expect.stringContaining(`${state}: `) });
      await expect(deliver(ann)).rejects.toMatchObject({ reason });
      expect(sends(telegram)).toBe(1);
      expect(await list()).toMatchObject([
        { conversation: ann, accountId: ann.room, state, askAgainAt: expect.any(String) },
      ]);
    },
  );

  it("when a person requests another attempt, or a day has passed, then Telegram is asked again (C8)", async () => {
    const { telegram, clock, ann, deliver, list } = await rigOf();
    refuse(telegram, 403, "Forbidden: bot was blocked by the user");
    await expect(deliver(ann)).rejects.toMatchObject({ reason: "forbidden" });
    const [{ since } = { since: "" }] = await list();
    await expect(deliver(ann, { byHand: true })).rejects.toMatchObject({ reason: "forbidden" });
    clock.advance(DAY_MS);
    await expect(deliver(ann)).rejects.toMatchObject({ reason: "forbidden" });
    expect(sends(telegram)).toBe(3);
    expect(await list()).toMatchObject([{ since }]);
    telegram.recover();
    await deliver(ann, { byHand: true });
    expect(await list()).toEqual([]);
    await deliver(ann);
    expect(sends(telegram)).toBe(5);
  });

  it("when Telegram reports that people blocked the bot, or let it in again, then the state follows (C8)", async () => {
    const { telegram, store, clock, ann, lobby, deliver, list } = await rigOf();
    const change = (chat: Conversation, new_chat_member: object) =>
      telegram.send([
        telegram.updates.number({
          my_chat_member: {
            chat: { id: Number(chat.room), type: chat.kind === "private" ? "private" : "supergroup" },
            new_chat_member,
          },
        }),
      ]);
    await change(ann, { status: "kicked" });
    await change(lobby, { status: "left" });
    await expect(deliver(ann)).rejects.toMatchObject({ reason: "forbidden" });
    await expect(deliver(lobby)).rejects.toMatchObject({ reason: "target-gone" });
    expect((await list()).map(({ state }) => state).sort()).toEqual(["blocked", "removed"]);
    expect(sends(telegram)).toBe(0);
    // The state outlives the process.
    const other = makeTelegramAdapter(telegram, { store, clock });
    expect(await list(other)).toHaveLength(2);
    await change(ann, { status: "member" });
    await change(lobby, { status: "restricted", can_send_messages: false });
    expect((await list()).map(({ state }) => state)).toEqual(["restricted"]);
    await change(lobby, { status: "administrator" });
    expect(await list()).toEqual([]);
    await deliver(ann);
    await deliver(lobby);
  });

  it("when a message fails for another reason, then the chat stays reachable (C8)", async () => {
    const { telegram, ann, deliver, list } = await rigOf();
    refuse(telegram, 400, "Bad Request: message text is empty");
    await expect(deliver(ann)).rejects.toMatchObject({ reason: "rejected" });
    expect(await list()).toEqual([]);
  });
});

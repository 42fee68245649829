import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import type { InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { collection, prefixOf } from "../../../core/contract/ports/store.ts";
import { MemoryStore } from "../../fakes/memory-store.ts";
import type { FakeTelegram } from "../../fakes/telegram/fake-telegram.ts";
import type { FakeUpdate } from "../../fakes/telegram/updates.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";
import { WatchedClock } from "../../fakes/watched-clock.ts";
import { makeTelegramAdapter, WEBHOOK_SECRET } from "./make-telegram-adapter.ts";
import { telegramWith } from "./running-telegram.ts";

const ALBUM_MS = 500;
const webhook = { mode: "webhook", webhookSecret: WEBHOOK_SECRET };

/** Gateways of one channel share the store and the inbox; each has a clock of its own. */
const rigOf = async () => {
  const store = new MemoryStore();
  const { telegram } = await telegramWith();
  const inbox = new TestInbox();
  const gateway = async () => {
    const clock = new WatchedClock();
    const adapter = makeTelegramAdapter(telegram, { store, clock, settings: webhook, timing: { albumMs: ALBUM_MS } });
    await adapter.start(inbox);
    const post = async (update: FakeUpdate): Promise<number> => {
      const headers = { "x-telegram-bot-api-secret-token": WEBHOOK_SECRET };
      const body = Buffer.from(JSON.stringify(update));
      const head = { headers, query: {}, remoteAddress: "127.0.0.1", whenClosed: () => undefined };
      const answered = await adapter.webhooks[0]?.handle({ ...head, body });
      return answered?.status ?? 0;
    };
    /** Posts the updates at once, and lets the time pass in which an album is complete. */
    const receives = async (...updates: FakeUpdate[]): Promise<number[]> => {
      const waits = () => clock.waits.items.filter((ms) => ms === ALBUM_MS).length;
      const before = waits();
      const answers = updates.map(post);
      await clock.waits.until(() => waits() === before + updates.length);
      clock.advance(ALBUM_MS);
      return Promise.all(answers);
    };
    return { adapter, clock, post, receives };
  };
  return { telegram, store, inbox, gateway };
};

const albumIn = (telegram: FakeTelegram, count = 3) => {
  const files = Array.from({ length: count }, (_, index) => ({
    name: `${index + 1}.txt`,
    mediaType: "text/plain",
    bytes: Buffer.from("x"),
  }));
  return telegram.write({ person: "ann", in: telegram.world.privateChat("ann"), text: "the harbour", files });
};

const filesOf = (messages: readonly InboundMessage[]) =>
  messages.map(({ id, attachments }) => [id, attachments.map(({ name }) => name)]);

describe("given the files of an album, which Telegram sends one by one to the webhook", () => {
  it("when all of them arrive, then the agent gets one message with all files (C8)", async () => {
    const { telegram, inbox, gateway } = await rigOf();
    const { receives, adapter } = await gateway();
    expect(await receives(...albumIn(telegram))).toEqual([200, 200, 200]);
    expect(filesOf(inbox.accepted.items)).toEqual([[expect.any(String), ["1.txt", "2.txt", "3.txt"]]]);
    await adapter.stop();
  });

  it("when Telegram repeats one of them after a crash, then the agent gets nothing twice (C8)", async () => {
    const { telegram, inbox, gateway } = await rigOf();
    const updates = albumIn(telegram);
    const crashed = await gateway();
    await crashed.receives(...updates);
    await crashed.adapter.stop();
    const { receives, adapter } = await gateway();
    expect(await receives(updates[1] as FakeUpdate)).toEqual([200]);
    expect(await receives(...updates)).toEqual([200, 200, 200]);
    expect(inbox.offered.items).toHaveLength(1);
    await adapter.stop();
  });

  it("when the gateway crashes before the message is stored, then its repeated files are one message with the same id (C8)", async () => {
    const { telegram, inbox, gateway } = await rigOf();
    const updates = albumIn(telegram);
    const { receives, adapter } = await gateway();
    inbox.refuseNext(new AppError("unavailable", "the store is down"));
    expect(await receives(...updates)).toEqual([503, 503, 503]);
    // Telegram repeats them in any order, and with pauses.
    expect(await receives(updates[2] as FakeUpdate)).toEqual([200]);
    expect(await receives(updates[0] as FakeUpdate)).toEqual([200]);
    const [first, second] = inbox.offered.items;
    expect(second?.id).toBe(first?.id);
    expect(filesOf(inbox.accepted.items)).toEqual([[first?.id, ["1.txt", "2.txt", "3.txt"]]]);
    await adapter.stop();
  });

  it("when two gateways get a part of it each, then the agent gets one message with all files (C8)", async () => {
    const { telegram, inbox, gateway } = await rigOf();
    const [first, second, third] = albumIn(telegram) as [FakeUpdate, FakeUpdate, FakeUpdate];
    const [one, two] = [await gateway(), await gateway()];
    const answers = [one.post(first), two.post(second), one.post(third)];
    await one.clock.waits.until((all) => all.filter((ms) => ms === ALBUM_MS).length === 2);
    await two.clock.waits.until((all) => all.includes(ALBUM_MS));
    one.clock.advance(ALBUM_MS);
    two.clock.advance(ALBUM_MS);
    expect(await Promise.all(answers)).toEqual([200, 200, 200]);
    // Both may offer it: the inbox drops the second one by its id.
    expect(new Set(inbox.offered.items.map(({ id }) => id)).size).toBe(1);
    expect(filesOf(inbox.accepted.items)[0]?.[1]).toEqual(["1.txt", "2.txt", "3.txt"]);
    await Promise.all([one.adapter.stop(), two.adapter.stop()]);
  });

  it("when a file arrives late, then it is a message of its own, and no content stays in the store (C8)", async () => {
    const { telegram, store, inbox, gateway } = await rigOf();
    const [first, second, third] = albumIn(telegram) as [FakeUpdate, FakeUpdate, FakeUpdate];
    const { receives, adapter } = await gateway();
    await receives(first, second);
    await receives(third);
    await receives(second, third);
    expect(filesOf(inbox.offered.items).map(([, files]) => files)).toEqual([["1.txt", "2.txt"], ["3.txt"]]);
    const albums = collection("telegram-albums", z.looseObject({ messages: z.array(z.unknown()) }));
    for await (const { value } of store.list(prefixOf(albums))) expect(value.messages).toEqual([]);
    await adapter.stop();
  });
});

describe("given an album that is polled", () => {
  it("when the gateway crashes and the rest has arrived meanwhile, then no file is lost or taken twice (C8)", async () => {
    const store = new MemoryStore();
    const { telegram, adapter, inbox } = await telegramWith({ store });
    const [first, second, third] = albumIn(telegram) as [FakeUpdate, FakeUpdate, FakeUpdate];
    // The crash prevents the confirmation, so Telegram keeps all three.
    const release = inbox.holdNext();
    await adapter.start(inbox);
    void telegram.updates.queue([first, second]);
    await inbox.offered.count(1);
    const next = makeTelegramAdapter(telegram, { store });
    const other = new TestInbox();
    void telegram.updates.queue([third]);
    await next.start(other);
    const taken = await other.accepted.until((all) => all.flatMap(({ attachments }) => attachments).length === 3);
    expect(filesOf(taken)).toEqual([
      [inbox.offered.items[0]?.id, ["1.txt", "2.txt"]],
      [expect.any(String), ["3.txt"]],
    ]);
    await next.stop();
    release();
  });
});

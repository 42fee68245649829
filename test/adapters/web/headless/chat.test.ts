import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { type Chat, type ChatOptions, type ChatSnapshot, createChat } from "../../../../adapters/web/headless/index.ts";
import type { InboundMessage } from "../../../../core/contract/messages/user-message.ts";
import { makeDelivery } from "../make-delivery.ts";
import { MemoryStore } from "../memory-store.ts";
import { OrderedClock } from "../ordered-clock.ts";
import { runningGateways } from "../running-gateways.ts";
import type { WebGateway } from "../web-gateway.ts";
import { startWidgetPage, type WidgetPage } from "../widget/widget-page.ts";

const start = runningGateways();
let site: WidgetPage;
beforeAll(async () => {
  site = await startWidgetPage();
});
afterAll(() => site.stop());

const chats: Chat[] = [];
afterEach(() => {
  for (const chat of chats.splice(0)) chat.close();
});

const makeChat = (gateway: WebGateway, options: Partial<ChatOptions> = {}): Chat => {
  site.gateway = gateway;
  const chat = createChat({ url: `${site.url}channels/web`, WebSocket, ...options });
  chats.push(chat);
  chat.open();
  return chat;
};

/** The first snapshot that holds; `subscribe` alone must be enough to see it. */
const until = (chat: Chat, holds: (snapshot: ChatSnapshot) => boolean): Promise<ChatSnapshot> =>
  new Promise((resolve) => {
    const look = () => {
      const snapshot = chat.getSnapshot();
      if (!holds(snapshot)) return;
      unsubscribe();
      resolve(snapshot);
    };
    const unsubscribe = chat.subscribe(look);
    look();
  });

const arrived = async (gateway: WebGateway, count: number): Promise<InboundMessage> => {
  await expect.poll(() => gateway.accepted.length).toBe(count);
  return gateway.accepted[count - 1] as InboundMessage;
};

const answer = async (gateway: WebGateway, to: InboundMessage, id: string, more: object = {}) => {
  const reply = { correlationId: to.id, ...more };
  await gateway.adapter.deliver(makeDelivery(to.conversation.room, id, { target: to.conversation, reply }));
};

const memoryStorage = () => {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
};

describe("given the headless client in Node (C5)", () => {
  it("when a message is sent, then text streams in, the answer replaces it, and its buttons send commands", async () => {
    const gateway = await start();
    const chat = makeChat(gateway);
    const id = chat.send("hello");
    expect(chat.getSnapshot()).toMatchObject({ pending: [{ id, text: "hello" }], entries: [] });
    const message = await arrived(gateway, 1);
    await until(chat, ({ entries, pending, isWaiting }) => entries.length === 1 && pending.length === 0 && isWaiting);
    const delta = { correlationId: message.id, attempt: 1, offset: 0, text: "Thinking" };
    gateway.adapter.onSignal({ type: "delta", conversation: message.conversation, ...delta });
    const { drafts } = await until(chat, (snapshot) => snapshot.drafts.length > 0);
    expect(drafts).toEqual([{ answers: id, markdown: "Thinking" }]);
    const anchor = { summary: "tea", channel: "slack", startedAt: "2026-11-15T12:00:00.000Z", text: "↳ Re: tea" };
    const reply = {
      correlationId: message.id,
      markdown: "**done**",
      actions: [{ name: "approve", label: "Yes", value: "a1" }],
    };
    await gateway.adapter.deliver(makeDelivery(message.conversation.room, "r1", { anchor, reply }));
    const done = await until(chat, ({ entries }) => entries.length === 2);
    expect(done).toMatchObject({ drafts: [], isWaiting: false, unread: 1 });
    const shown = done.entries[1];
    if (shown?.type !== "reply") throw new Error("the second entry must be the reply");
    expect(shown).toMatchObject({ id: "r1", kind: "final", markdown: "**done**", answers: id, anchor });
    chat.press(shown.actions[0] ?? { name: "none", label: "" });
    expect(await arrived(gateway, 2)).toMatchObject({ command: { name: "approve", args: "a1" } });
    chat.markRead();
    expect(chat.getSnapshot().unread).toBe(0);
  });

  it("when nothing changes, then the snapshot is the same object; unchanged entries stay the same, and all are frozen", async () => {
    const gateway = await start();
    const chat = makeChat(gateway);
    chat.send("one");
    const first = await arrived(gateway, 1);
    const before = await until(chat, ({ entries }) => entries.length === 1);
    expect(chat.getSnapshot()).toBe(chat.getSnapshot());
    await answer(gateway, first, "r1");
    const after = await until(chat, ({ entries }) => entries.length === 2);
    expect(after).not.toBe(before);
    expect(after.entries[0]).toBe(before.entries[0]);
    expect(before.entries).toHaveLength(1);
    for (const part of [after, after.entries, after.entries[0], after.pending, after.drafts])
      expect(Object.isFrozen(part)).toBe(true);
    chat.rate("r1", "up");
    const rated = await until(chat, ({ entries }) => entries[1]?.type === "reply" && entries[1].rating === "up");
    expect(rated.entries[0]).toBe(after.entries[0]);
    expect(rated.pending).toEqual([]);
    expect(await arrived(gateway, 2)).toMatchObject({ command: { name: "feedback", args: "up r1" } });
  });

  it("when the gateway is away, then messages wait, also in the next process, and arrive once and in order", async () => {
    const clock = new OrderedClock();
    const store = new MemoryStore(clock);
    const gateway = await start({ clock, store });
    const storage = memoryStorage();
    const chat = makeChat(gateway, { storage });
    chat.send("first");
    await arrived(gateway, 1);
    await until(chat, ({ pending }) => pending.length === 0);
    site.gateway = undefined;
    await gateway.stop();
    await until(chat, ({ status }) => status === "away");
    chat.send("second");
    chat.setDraft("half a");
    chat.close();
    const next = await start({ clock, store });
    const again = makeChat(next, { storage });
    again.send("third");
    await arrived(next, 2);
    expect(next.accepted.map(({ text }) => text)).toEqual(["second", "third"]);
    const { entries, draft } = await until(again, (snapshot) => snapshot.entries.length === 3);
    expect(entries.map((entry) => entry.type === "message" && entry.text)).toEqual(["first", "second", "third"]);
    expect(draft).toBe("half a");
  });

  it("when a message is edited and answered again, then its versions can be shown", async () => {
    const gateway = await start();
    const chat = makeChat(gateway);
    const id = chat.send("helo");
    await answer(gateway, await arrived(gateway, 1), "r1");
    await until(chat, ({ entries }) => entries.length === 2);
    const edited = chat.edit(id, "hello") ?? "";
    expect(await arrived(gateway, 2)).toMatchObject({ text: "hello", revises: expect.stringContaining(id) });
    const shown = await until(chat, ({ entries }) => entries.length === 1 && entries[0]?.id === edited);
    expect(shown.entries[0]).toMatchObject({ versions: { ids: [id, edited], shown: 1 } });
    chat.showVersion(id);
    expect(chat.getSnapshot()).toMatchObject({ isEarlierVersion: true, entries: [{ id }, { id: "r1" }] });
    chat.showVersion();
    await answer(gateway, gateway.accepted[1] as InboundMessage, "r2");
    await until(chat, ({ entries }) => entries.length === 2);
    chat.regenerate(edited);
    expect(await arrived(gateway, 3)).toMatchObject({ text: "hello", revises: expect.stringContaining(edited) });
    expect(chat.regenerate("unknown")).toBeUndefined();
    await until(chat, ({ isWaiting }) => isWaiting);
    chat.stop();
    expect(await arrived(gateway, 4)).toMatchObject({ command: { name: "cancel", args: "answer" } });
  });

  it("when conversations are started, renamed, found, entered and deleted, then list and log follow", async () => {
    const gateway = await start();
    const chat = makeChat(gateway);
    void chat.loadConversations();
    chat.send("in the first");
    await arrived(gateway, 1);
    await until(chat, ({ conversations, pending }) => conversations?.length === 1 && pending.length === 0);
    chat.startConversation();
    chat.send("in the second");
    expect(chat.getSnapshot()).toMatchObject({
      conversation: "new",
      entries: [],
      pending: [{ text: "in the second" }],
    });
    const { conversation } = await arrived(gateway, 2);
    const { conversation: id } = await until(chat, ({ entries }) => entries.length === 1);
    expect(conversation.thread).toBe(id);
    await chat.renameConversation(id, "Lisbon");
    expect(chat.findConversations(" lis")).toMatchObject([{ id, title: "Lisbon" }]);
    expect(chat.findConversations("porto")).toEqual([]);
    chat.enterConversation("main");
    await until(chat, ({ entries }) => entries[0]?.type === "message" && entries[0].text === "in the first");
    await chat.deleteConversation(id);
    expect(chat.getSnapshot()).toMatchObject({ conversations: [{ id: "main" }], hasListFailed: false });
  });

  it("when a file is uploaded and sent, then it can be downloaded; a refused upload says why", async () => {
    const gateway = await start();
    const chat = makeChat(gateway);
    await until(chat, ({ status }) => status === "open");
    const shares: number[] = [];
    const file = new File(["some notes"], "notes.txt", { type: "text/plain" });
    const attachment = await chat.upload(file, (share) => shares.push(share));
    expect(shares.at(-1)).toBe(1);
    chat.send("", { attachments: [attachment] });
    expect(await arrived(gateway, 1)).toMatchObject({ attachments: [{ name: "notes.txt" }] });
    expect(await (await chat.download(attachment)).text()).toBe("some notes");
    await expect(chat.upload(new File([], "nothing.txt"))).rejects.toThrow(/empty/);
  });

  it("when the visitor signs out, then nothing of them is stored or shown, and the next one is another", async () => {
    const gateway = await start();
    const storage = memoryStorage();
    const chat = makeChat(gateway, { storage });
    chat.send("a secret");
    const { conversation } = await arrived(gateway, 1);
    await until(chat, ({ entries, pending }) => entries.length === 1 && pending.length === 0);
    chat.setDraft("another secret");
    chat.signOut();
    expect(chat.getSnapshot()).toMatchObject({ status: "closed", entries: [], draft: "", conversations: undefined });
    expect([...storage.values.keys()]).toEqual([]);
    chat.open();
    chat.send("hello");
    const next = await arrived(gateway, 2);
    expect(next.conversation.room).not.toBe(conversation.room);
  });

  it("when a token is forged, then the chat says so, and can start over as a new visitor", async () => {
    const gateway = await start();
    const chat = makeChat(gateway, { token: "forged" });
    expect(await until(chat, ({ status }) => status === "refused")).toMatchObject({ refusal: "token-invalid" });
    chat.identify();
    await until(chat, ({ status }) => status === "open");
  });

  it("when a listener changes the chat or throws, then it is called again, and the others are called too", async () => {
    const gateway = await start();
    const chat = makeChat(gateway);
    const thrown: unknown[] = [];
    const keep = (error: unknown) => void thrown.push(error);
    process.once("uncaughtException", keep);
    let count = 0;
    chat.subscribe(() => {
      if (count++ < 3) chat.setDraft(`draft ${count}`);
    });
    const stop = chat.subscribe(() => {
      stop();
      throw new Error("a bug of the page");
    });
    let shown = "";
    chat.subscribe(() => {
      shown = chat.getSnapshot().draft;
    });
    chat.setDraft("first");
    expect(shown).toBe("draft 3");
    await until(chat, ({ status }) => status === "open");
    process.off("uncaughtException", keep);
    expect(thrown).toMatchObject([{ message: "a bug of the page" }]);
  });

  it("when a listener changes the chat without end, then the console says so, and the chat lives on", async () => {
    const gateway = await start();
    const chat = makeChat(gateway);
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    let count = 0;
    const stop = chat.subscribe(() => chat.setDraft(`draft ${count++}`));
    chat.setDraft("first");
    stop();
    expect(logged).toHaveBeenCalledWith(expect.stringContaining("a listener changes the chat"));
    logged.mockRestore();
    await until(chat, ({ status }) => status === "open");
  });

  it("when the address or the WebSocket is missing, then the error says what to pass", () => {
    expect(() => createChat({ url: "/channels/web", WebSocket })).toThrow(/url must be the address of a web channel/);
  });
});

import { describe, expect, it } from "vitest";
import { makeDelivery } from "../make-delivery.ts";
import { MemoryStore } from "../memory-store.ts";
import { OrderedClock } from "../ordered-clock.ts";
import { runningGateways } from "../running-gateways.ts";
import { enter } from "../web-client.ts";

const start = runningGateways();

describe("given a visitor with two tabs (C5)", () => {
  it("when one tab sends a message, then it is stored, accepted there, and shown in both", async () => {
    const gateway = await start();
    const { client: one, welcome } = await enter(gateway, { timeZone: "Europe/Berlin", locale: "de-DE" });
    const { client: two } = await enter(gateway, { token: welcome.token });
    one.send({ type: "message", id: "m1", text: "hello", replyTo: "r0" });
    expect(await one.next("said")).toMatchObject({ seq: 1, id: "m1", text: "hello", replyTo: "r0" });
    expect(await one.next("accepted")).toEqual({ type: "accepted", id: "m1" });
    expect(await two.next("said")).toMatchObject({ seq: 1, id: "m1" });
    const visitor = welcome.conversation;
    expect(gateway.accepted).toMatchObject([
      {
        id: `web:${visitor}:m1`,
        conversation: { channel: "web", room: visitor, kind: "private" },
        account: { id: visitor, timeZone: "Europe/Berlin", locale: "de-DE" },
        text: "hello",
        replyTo: "r0",
      },
    ]);
  });

  it("when one tab sends a message, then its answers leave in one write", async () => {
    const gateway = await start();
    const events: string[] = [];
    const connect = gateway.adapter.connect.bind(gateway.adapter);
    gateway.adapter.connect = (socket, request) => {
      const send = socket.send.bind(socket);
      socket.send = (data, options, sent) => {
        events.push((JSON.parse(String(data)) as { type: string }).type);
        send(data, options, sent);
      };
      connect(socket, request, { cork: () => events.push("cork"), uncork: () => events.push("uncork") });
    };
    const { client } = await enter(gateway);
    client.send({ type: "message", id: "m1", text: "hello" });
    await client.next("accepted");
    expect(events).toEqual(["welcome", "cork", "said", "accepted", "uncork"]);
  });

  it("when the agent answers, then both get the reply with the client's own id, its anchor and actions", async () => {
    const gateway = await start();
    const { client: one, welcome } = await enter(gateway);
    const { client: two } = await enter(gateway, { token: welcome.token });
    const visitor = welcome.conversation;
    const anchor = { summary: "ask", channel: "slack", startedAt: "2026-11-15T12:00:00.000Z", text: "↳ Re" };
    const actions = [{ name: "why", label: "Why?", value: "r1" }];
    const correlationId = `web:${visitor}:m1`;
    const delivery = makeDelivery(visitor, "r1", { anchor, reply: { actions, correlationId, outcome: "answered" } });
    expect(await gateway.adapter.deliver(delivery)).toEqual({ messageId: "r1" });
    for (const tab of [one, two]) {
      expect(await tab.next("reply")).toMatchObject({
        seq: 1,
        id: "r1",
        kind: "final",
        markdown: "text of r1",
        correlationId: "m1",
        outcome: "answered",
        anchor,
        actions,
        origin: { channel: "web" },
      });
    }
  });

  it("when they connect, and after /new, then they receive the session of the conversation", async () => {
    let session = "s1";
    const gateway = await start({ sessionOf: async () => session });
    const { client, welcome } = await enter(gateway);
    expect(welcome.sessionId).toBe("s1");
    const correlationId = `web:${welcome.conversation}:c1`;
    const reply = { kind: "notice" as const, origin: null, correlationId, sessionId: "s2" };
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r1", { reply }));
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r2", { reply: { sessionId: "elsewhere" } }));
    expect(await client.next("reply")).toMatchObject({ id: "r1", correlationId: "c1", sessionId: "s2" });
    expect(await client.next("reply")).not.toHaveProperty("sessionId");
    session = "s2";
    expect((await enter(gateway, { token: welcome.token })).welcome.sessionId).toBe("s2");
  });

  it("when a reply is edited, then both see the edit under its id", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    const { messageId } = await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r1"));
    await gateway.adapter.edit(messageId, makeDelivery(welcome.conversation, "r2", { reply: { kind: "progress" } }));
    expect(await client.next("edit")).toMatchObject({ seq: 2, id: "r1", kind: "progress", markdown: "text of r2" });
  });

  it("when a command is sent, then it is published as a command and shown as it would be typed", async () => {
    const gateway = await start();
    const { client } = await enter(gateway);
    client.send({ type: "command", id: "c1", name: "why", args: "r1" });
    expect(await client.next("said")).toMatchObject({ text: "/why r1", command: { name: "why", args: "r1" } });
    await client.next("accepted");
    expect(gateway.accepted[0]).toMatchObject({ text: "/why r1", command: { name: "why", args: "r1" } });
  });

  it("when text streams in or the agent is typing, then both tabs get it, and no other visitor does", async () => {
    const gateway = await start();
    const { client: one, welcome } = await enter(gateway);
    const { client: stranger } = await enter(gateway);
    const conversation = { channel: "web", room: welcome.conversation, kind: "private" as const };
    const correlationId = `web:${welcome.conversation}:m1`;
    gateway.adapter.onSignal({ type: "typing", conversation });
    gateway.adapter.onSignal({ type: "delta", conversation, correlationId, attempt: 1, offset: 0, text: "Hel" });
    gateway.adapter.onSignal({
      type: "delta",
      conversation,
      correlationId: "foreign",
      attempt: 1,
      offset: 0,
      text: "x",
    });
    gateway.adapter.onSignal({ type: "typing", conversation: { ...conversation, channel: "web-two" } });
    await one.next("typing");
    expect(await one.next("delta")).toEqual({ type: "delta", correlationId: "m1", attempt: 1, offset: 0, text: "Hel" });
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r1"));
    await one.next("reply");
    expect(one.frames.filter(({ type }) => type === "typing" || type === "delta")).toHaveLength(2);
    stranger.send({ type: "history", before: 100, limit: 10 });
    expect(await stranger.next("history")).toEqual({ type: "history", items: [], before: null });
    expect(stranger.frames.map(({ type }) => type)).toEqual(["welcome", "history"]);
  });
});

describe("given a plain message and its answer", () => {
  it("when counted, then the log costs two writes", async () => {
    const store = new MemoryStore(new OrderedClock());
    const gateway = await start({ store });
    const { client, welcome } = await enter(gateway);
    store.writes.length = 0;
    client.send({ type: "message", id: "m1", text: "hello" });
    await client.next("accepted");
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r1"));
    await client.next("reply");
    expect(store.writes).toEqual(["web-log", "web-log"]);
  });
});

describe("given a conversation with history", () => {
  it("when pages are requested, then they arrive in order until there are no more", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    for (let n = 1; n <= 7; n++) await gateway.adapter.deliver(makeDelivery(welcome.conversation, `r${n}`));
    client.send({ type: "history", before: 8, limit: 3 });
    const last = await client.next("history");
    expect(last.items.map(({ seq }) => seq)).toEqual([5, 6, 7]);
    client.send({ type: "history", before: last.before ?? 0, limit: 100 });
    const first = await client.next("history");
    expect(first.items.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(first.before).toBeNull();
  });

  it("when entries are large, then a page ends early and names the next one", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    const markdown = "x".repeat(200_000);
    for (let n = 1; n <= 5; n++) {
      const part = { index: 0, count: 1, markdown };
      await gateway.adapter.deliver(makeDelivery(welcome.conversation, `r${n}`, { part }));
    }
    client.send({ type: "history", before: 6, limit: 100 });
    const page = await client.next("history");
    expect(page.items.map(({ seq }) => seq)).toEqual([4, 5]);
    expect(page.before).toBe(4);
  });
});

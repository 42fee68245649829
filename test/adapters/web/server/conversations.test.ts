import Fastify from "fastify";
import { describe, expect, it } from "vitest";
import { webhookRoutes } from "../../../../gateway/http/webhooks.ts";
import { hostToken, IDENTITY_KEY } from "../identity/host-jwt.ts";
import { makeDelivery } from "../make-delivery.ts";
import { MemoryStore } from "../memory-store.ts";
import { OrderedClock } from "../ordered-clock.ts";
import { runningGateways } from "../running-gateways.ts";
import { enter, WebClient } from "../web-client.ts";
import type { WebGateway } from "../web-gateway.ts";

const start = runningGateways();

interface Item {
  readonly id: string;
  readonly title?: string;
  readonly unread: boolean;
}

/** A visitor's HTTP requests to the gateway. */
const requestsOf = async ({ adapter }: WebGateway, token: string, headers: Record<string, string> = {}) => {
  const app = Fastify();
  await webhookRoutes(app, [adapter]);
  const url = "/channels/web/conversations";
  const all = { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers };
  const get = () => app.inject({ method: "GET", url, headers: all });
  const post = (payload: object | string) =>
    app.inject({
      method: "POST",
      url,
      headers: all,
      payload: typeof payload === "string" ? payload : JSON.stringify(payload),
    });
  return {
    get,
    post,
    list: async () => (await get()).json<{ conversations: Item[] }>().conversations,
    begin: async () => (await post({ action: "start" })).json<Item>().id,
  };
};

const inThread = (visitor: string, thread: string) => ({
  channel: "web",
  room: visitor,
  thread,
  kind: "private" as const,
});
const repliesIn = (client: WebClient) => client.logged().map(({ id }) => id);

describe("given a visitor with several conversations (C5)", () => {
  it("when they start one and write in it, then it has its own log, session and title", async () => {
    const sessionOf = async ({ room, thread }: { room: string; thread?: string | undefined }) => `${room}/${thread}`;
    const gateway = await start({ sessionOf });
    const { client: main, welcome } = await enter(gateway);
    const mine = await requestsOf(gateway, welcome.token);
    const id = await mine.begin();
    const { client, welcome: entered } = await enter(gateway, { token: welcome.token, conversation: id });
    expect(entered).toMatchObject({ conversation: welcome.conversation, thread: id, seq: 0 });
    expect(entered.sessionId).toBe(`${welcome.conversation}/${id}`);
    client.send({ type: "message", id: "m1", text: "plan  the trip to Lisbon" });
    await client.next("said");
    await client.next("accepted");
    expect(gateway.accepted).toMatchObject([{ conversation: inThread(welcome.conversation, id) }]);
    await main.next("elsewhere", ({ conversation }) => conversation === id);
    expect(main.logged()).toEqual([]);
    expect(await mine.list()).toMatchObject([
      { id: "main", unread: false },
      { id, title: "plan the trip to Lisbon", unread: false },
    ]);
  });

  it("when an answer to another conversation arrives, then its log has it, and the list shows it as unread (D2)", async () => {
    const gateway = await start();
    const { client: main, welcome } = await enter(gateway);
    const visitor = welcome.conversation;
    const mine = await requestsOf(gateway, welcome.token);
    const id = await mine.begin();
    await gateway.adapter.deliver(makeDelivery(visitor, "late", { target: inThread(visitor, id) }));
    await main.next("elsewhere", ({ conversation }) => conversation === id);
    expect(main.logged()).toEqual([]);
    expect((await mine.list())[1]).toMatchObject({ id, unread: true });
    const { client } = await enter(gateway, { token: welcome.token, conversation: id, resumeFrom: 0 });
    expect(await client.next("reply")).toMatchObject({ id: "late", seq: 1 });
    await mine.post({ action: "read", id, seq: 1 });
    expect((await mine.list())[1]).toMatchObject({ id, unread: false });
  });

  it("when an answer to the main one arrives after they started another, then the list shows that", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    client.send({ type: "message", id: "m1", text: "remind me" });
    await client.next("accepted");
    const mine = await requestsOf(gateway, welcome.token);
    await mine.begin();
    expect((await mine.list())[0]).toMatchObject({ id: "main", unread: false });
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "late"));
    expect((await mine.list())[0]).toMatchObject({ id: "main", unread: true });
    await mine.post({ action: "read", id: "main", seq: 2 });
    expect((await mine.list())[0]).toMatchObject({ id: "main", unread: false });
  });

  it("when a host page identifies them on a second device, then it has the same list", async () => {
    const gateway = await start({ config: { identityKey: IDENTITY_KEY } });
    const token = hostToken({ sub: "ann", exp: Date.now() / 1_000 + 3_600 });
    const { welcome } = await enter(gateway, { token });
    const id = await (await requestsOf(gateway, welcome.token)).begin();
    await (await requestsOf(gateway, welcome.token)).post({ action: "rename", id, title: "Lisbon" });
    const { welcome: second } = await enter(gateway, {
      token: hostToken({ sub: "ann", exp: Date.now() / 1_000 + 1_800 }),
    });
    expect((await (await requestsOf(gateway, second.token)).list())[1]).toMatchObject({ id, title: "Lisbon" });
  });

  it("when start is requested twice, then one unused conversation is there", async () => {
    const gateway = await start();
    const { welcome } = await enter(gateway);
    const mine = await requestsOf(gateway, welcome.token);
    expect(await mine.begin()).toBe(await mine.begin());
    expect(await mine.list()).toHaveLength(2);
  });

  it("when a message names another conversation than the socket's, then it is stored there", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    const id = await (await requestsOf(gateway, welcome.token)).begin();
    client.send({ type: "message", id: "m1", text: "written before the switch", conversation: id });
    await client.next("accepted");
    expect(client.logged()).toEqual([]);
    expect(gateway.accepted).toMatchObject([{ conversation: { thread: id } }]);
    const { client: other } = await enter(gateway, { token: welcome.token, conversation: id });
    other.send({ type: "message", id: "m2", text: "for the main one", conversation: "main" });
    expect(await client.next("said")).toMatchObject({ id: "m2" });
  });

  it("when the sockets of one visitor are in two conversations, then the limits count them together", async () => {
    const gateway = await start({ config: { limits: { connectionsPerVisitor: 1 } } });
    const { welcome } = await enter(gateway);
    const id = await (await requestsOf(gateway, welcome.token)).begin();
    const client = await new WebClient(gateway).opened();
    client.send({ type: "hello", token: welcome.token, conversation: id });
    expect(await client.closing()).toBe(4003);
  });

  it("when a conversation had no message for the time of retention, then it is in no list", async () => {
    const clock = new OrderedClock(Date.parse("2026-03-10T12:00:00Z"));
    const gateway = await start({ clock, store: new MemoryStore(clock), config: { retentionDays: 1 } });
    const { welcome } = await enter(gateway);
    const mine = await requestsOf(gateway, welcome.token);
    await mine.begin();
    await clock.advance(25 * 3_600_000);
    expect(await mine.list()).toMatchObject([{ id: "main" }]);
  });
});

describe("given a visitor who deletes a conversation (C5)", () => {
  it("when it is deleted, then its log and files are gone, core gets the command, and late answers are not shown", async () => {
    const clock = new OrderedClock(Date.parse("2026-03-10T12:00:00Z"));
    const store = new MemoryStore(clock);
    const gateway = await start({ clock, store });
    const { client: main, welcome } = await enter(gateway);
    const visitor = welcome.conversation;
    const mine = await requestsOf(gateway, welcome.token);
    const id = await mine.begin();
    const target = inThread(visitor, id);
    const { client } = await enter(gateway, { token: welcome.token, conversation: id });
    client.send({ type: "message", id: "m1", text: "a secret plan" });
    await client.next("accepted");
    await gateway.adapter.deliver(makeDelivery(visitor, "r1", { target }));
    expect(store.text()).toContain("secret");
    expect((await mine.post({ action: "delete", id })).statusCode).toBe(204);
    expect(store.text()).not.toContain("secret");
    expect(store.text()).not.toContain("text of r1");
    expect(gateway.accepted.slice(1)).toMatchObject([
      { conversation: target, command: { name: "cancel", args: "answer" } },
      { conversation: target, command: { name: "delete-conversation", args: "confirm" } },
    ]);
    expect(await mine.list()).toMatchObject([{ id: "main" }]);
    const correlationId = gateway.accepted.at(-1)?.id ?? "";
    await gateway.adapter.deliver(
      makeDelivery(visitor, "notice", { target, reply: { kind: "notice", correlationId } }),
    );
    await gateway.adapter.deliver(makeDelivery(visitor, "late", { target }));
    const anchor = { summary: "tea", channel: "scheduled", startedAt: "2026-03-10T12:00:00.000Z", text: "↳ Re" };
    await gateway.adapter.deliver(makeDelivery(visitor, "reminder", { target, anchor }));
    await main.next("reply");
    expect(repliesIn(main)).toEqual(["reminder"]);
    client.send({ type: "message", id: "m2", text: "one more" });
    expect(await client.next("error")).toMatchObject({ code: "conversation-unknown", id: "m2" });
    const again = await new WebClient(gateway).opened();
    again.send({ type: "hello", token: welcome.token, conversation: id });
    expect(await again.closing()).toBe(4005);
  });

  it("when the main one is deleted, then it is empty, and its numbers continue", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    client.send({ type: "message", id: "m1", text: "hello" });
    await client.next("accepted");
    const mine = await requestsOf(gateway, welcome.token);
    await mine.post({ action: "delete", id: "main" });
    const { client: next, welcome: after } = await enter(gateway, { token: welcome.token, resumeFrom: 0 });
    expect(after.seq).toBe(1);
    next.send({ type: "message", id: "m2", text: "hello again" });
    expect(await next.next("said")).toMatchObject({ id: "m2", seq: 2 });
    expect(next.logged()).toHaveLength(1);
  });

  it("when the process stops in the middle, then the next start completes the deletion", async () => {
    const clock = new OrderedClock(Date.parse("2026-03-10T12:00:00Z"));
    const store = new MemoryStore(clock);
    let isDown = false;
    const inbox = {
      accept: async () => {
        if (isDown) throw new Error("killed");
        return undefined;
      },
    };
    const gateway = await start({ clock, store, inbox });
    const { welcome } = await enter(gateway);
    const mine = await requestsOf(gateway, welcome.token);
    const id = await mine.begin();
    const { client } = await enter(gateway, { token: welcome.token, conversation: id });
    client.send({ type: "message", id: "m1", text: "a secret plan" });
    await client.next("accepted");
    isDown = true;
    expect((await mine.post({ action: "delete", id })).statusCode).toBe(500);
    expect(await mine.list()).toHaveLength(1);
    expect(store.text()).toContain("secret");
    await gateway.stop();
    const second = await start({ clock, store });
    await expect.poll(() => store.text()).not.toContain("secret");
    expect(second.accepted).toMatchObject([
      { command: { name: "cancel" } },
      { command: { name: "delete-conversation", args: "confirm" } },
    ]);
  });
});

describe("given a stranger (C5)", () => {
  const setUp = async () => {
    const gateway = await start();
    const { welcome } = await enter(gateway);
    const mine = await requestsOf(gateway, welcome.token);
    const id = await mine.begin();
    const { client } = await enter(gateway, { token: welcome.token, conversation: id });
    client.send({ type: "message", id: "m1", text: "private plan" });
    await client.next("accepted");
    const { welcome: stranger } = await enter(gateway);
    return { gateway, mine, id, stranger, theirs: await requestsOf(gateway, stranger.token) };
  };

  it.each([
    ["rename", { action: "rename", title: "mine now" }],
    ["read", { action: "read", seq: 9 }],
    ["delete", { action: "delete" }],
  ])("when they %s a conversation of another visitor, then it is unknown, and nothing changes", async (_, body) => {
    const { mine, id, theirs } = await setUp();
    const before = await mine.list();
    const answer = await theirs.post({ ...body, id });
    expect([answer.statusCode, answer.json()]).toMatchObject([404, { error: { code: "not-found" } }]);
    expect(await mine.list()).toEqual(before);
    expect(await theirs.list()).toMatchObject([{ id: "main" }]);
  });

  it("when they enter or write in it, then it is unknown, and they read nothing", async () => {
    const { gateway, id, stranger } = await setUp();
    const client = await new WebClient(gateway).opened();
    client.send({ type: "hello", token: stranger.token, conversation: id, resumeFrom: 0 });
    expect(await client.closing()).toBe(4005);
    expect(client.logged()).toEqual([]);
    const { client: own } = await enter(gateway, { token: stranger.token });
    own.send({ type: "message", id: "x1", text: "let me in", conversation: id });
    expect(await own.next("error")).toMatchObject({ code: "conversation-unknown" });
    expect(gateway.accepted).toHaveLength(1);
  });

  it.each([
    ["a forged token", { authorization: "Bearer v1.e30.AAAA" }, 401],
    ["no token", { authorization: "" }, 401],
    ["a foreign origin", { origin: "https://stranger.example" }, 403],
  ])("when they have %s, then they get no list", async (_, headers, status) => {
    const { gateway, stranger } = await setUp();
    const { get, post } = await requestsOf(gateway, stranger.token, headers);
    expect([(await get()).statusCode, (await post({ action: "start" })).statusCode]).toEqual([status, status]);
  });

  it.each(["", "{", "[]", '{"action":"fly"}', '{"action":"rename","id":"main","title":" "}', '{"action":"delete"}'])(
    "when the body is %j, then the answer says what is wrong",
    async (body) => {
      const { theirs } = await setUp();
      const answer = await theirs.post(body);
      expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: { code: "bad-input" } }]);
    },
  );

  it("when they start conversations without end, then the address is limited", async () => {
    const gateway = await start({
      config: { limits: { messageBurstOfAddress: 1, messagesPerSecondOfAddress: 0.001 } },
    });
    const { welcome } = await enter(gateway);
    const { post } = await requestsOf(gateway, welcome.token);
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push((await post({ action: "start" })).statusCode);
    // Loopback has ten times the limit.
    expect(statuses).toEqual([...Array<number>(10).fill(201), 429]);
  });
});

import { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { Recorder } from "../../../fakes/recorder.ts";
import { makeDelivery } from "../make-delivery.ts";
import { OrderedClock } from "../ordered-clock.ts";
import { runningGateways } from "../running-gateways.ts";
import { enter, WebClient } from "../web-client.ts";
import type { WebGateway } from "../web-gateway.ts";

const start = runningGateways();

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const bytesHeld = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

describe("given a client that exceeds the rate limit", () => {
  it("when its burst is used up, then messages are refused by id, and accepted again later", async () => {
    const clock = new OrderedClock();
    const gateway = await start({ clock, config: { limits: { messageBurst: 3, messagesPerSecond: 1 } } });
    const { client, welcome } = await enter(gateway);
    const { client: tab } = await enter(gateway, { token: welcome.token });
    for (const id of ["m1", "m2", "m3"]) {
      client.send({ type: "message", id, text: "x" });
      await client.next("accepted");
    }
    tab.send({ type: "message", id: "m4", text: "x" });
    expect(await tab.next("error")).toMatchObject({ code: "rate-limited", id: "m4" });
    const { client: other } = await enter(gateway);
    other.send({ type: "message", id: "m1", text: "x" });
    await other.next("accepted");
    await clock.advance(1_000);
    tab.send({ type: "message", id: "m4", text: "x" });
    await tab.next("accepted");
  });

  it("when it keeps flooding frames, then it is closed with 4004, and others are unaffected", async () => {
    const gateway = await start({ clock: new OrderedClock() });
    const { client } = await enter(gateway);
    const { client: other } = await enter(gateway);
    for (let n = 0; n < 5_000; n++) client.send({ type: "typing" });
    expect(await client.closing()).toBe(4004);
    other.send({ type: "message", id: "m1", text: "x" });
    await other.next("accepted");
  });

  it("when too many frames are queued for a slow store, then the rest is refused with busy", async () => {
    let open: () => void = () => undefined;
    const stored = new Promise<undefined>((resolve) => {
      open = () => resolve(undefined);
    });
    const inbox = { accept: () => stored };
    const gateway = await start({ inbox, config: { limits: { frameBurst: 200 } } });
    const { client } = await enter(gateway);
    for (let n = 0; n < 66; n++) client.send({ type: "message", id: `m${n}`, text: "x" });
    expect(await client.next("error", ({ code }) => code === "busy")).toMatchObject({ id: "m64" });
    open();
  });
});

describe("given one person with many visitor identities", () => {
  /** A simulated socket from another address; real test sockets all come from loopback. */
  const connectFrom = (remoteAddress: string, { adapter, origin }: WebGateway) => {
    const frames = new Recorder<{ type: string; code?: string }>();
    const listeners = new Map<string, (...args: unknown[]) => void>();
    const socket = {
      bufferedAmount: 0,
      send: (data: Buffer) => frames.add(JSON.parse(String(data))),
      ping() {},
      close: () => listeners.get("close")?.call(socket),
      terminate() {},
      on: (event: string, listen: never) => void listeners.set(event, listen),
    };
    const receive = (frame: object) =>
      listeners.get("message")?.call(socket, Buffer.from(JSON.stringify(frame)), false);
    adapter.connect(socket as never, { origin, remoteAddress, protocols: ["mooring.v1"] });
    receive({ type: "hello" });
    return async (id: string): Promise<string> => {
      const before = frames.items.length;
      receive({ type: "message", id, text: "x" });
      const answers = await frames.until((all) => all.slice(before).some(isAnswer));
      return answers.slice(before).find(isAnswer)?.type ?? "";
    };
    function isAnswer({ type }: { type: string }): boolean {
      return type === "accepted" || type === "error";
    }
  };

  it("when their address has used up its limit, then all of them are refused, and other addresses are not", async () => {
    const limits = { messagesPerSecondOfAddress: 1, messageBurstOfAddress: 2 };
    const gateway = await start({ clock: new OrderedClock(), config: { limits } });
    const [first, second] = [connectFrom("2001:db8::1", gateway), connectFrom("2001:db8::2", gateway)];
    const elsewhere = connectFrom("203.0.113.9", gateway);
    expect([await first("m1"), await second("m1"), await first("m2")]).toEqual(["accepted", "accepted", "error"]);
    expect(await second("m2")).toBe("error");
    expect(await elsewhere("m1")).toBe("accepted");
  });

  it("when they connect from loopback, then it counts as one address with ten times the limit", async () => {
    const limits = { messagesPerSecondOfAddress: 1, messageBurstOfAddress: 1, messageBurst: 100 };
    const gateway = await start({ clock: new OrderedClock(), config: { limits } });
    const [first, second] = [connectFrom("127.0.0.1", gateway), connectFrom("127.0.0.1", gateway)];
    for (let n = 0; n < 5; n++) expect([await first(`a${n}`), await second(`b${n}`)]).toEqual(["accepted", "accepted"]);
    expect([await first("a5"), await second("b5")]).toEqual(["error", "error"]);
  });
});

describe("given limits on connections (F21)", () => {
  it("when a visitor opens too many, then the newest gets an error and is closed with 4003", async () => {
    const gateway = await start({ config: { limits: { connectionsPerVisitor: 2 } } });
    const { client, welcome } = await enter(gateway);
    await enter(gateway, { token: welcome.token });
    const third = await new WebClient(gateway).opened();
    third.send({ type: "hello", token: welcome.token });
    expect(await third.next("error")).toMatchObject({ code: "too-many-connections" });
    expect(await third.closing()).toBe(4003);
    client.socket.close();
    await client.closing();
    await enter(gateway, { token: welcome.token });
  });

  it("when a person opens fifty tabs, then the default limit of them get everything, and the rest are refused", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    const others = await Promise.all(Array.from({ length: 49 }, () => new WebClient(gateway).opened()));
    for (const tab of others) tab.send({ type: "hello", token: welcome.token });
    await Promise.all(others.map((tab) => tab.until(() => tab.frames.length > 0)));
    const isOpen = (tab: WebClient) => tab.frames[0]?.type === "welcome";
    const open = [client, ...others.filter(isOpen)];
    expect(open).toHaveLength(20);
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r1"));
    await Promise.all(open.map((tab) => tab.next("reply")));
    for (const tab of others) if (!isOpen(tab)) expect(await tab.closing()).toBe(4003);
  });

  it.each([
    // The clients connect from loopback, which has ten times the limit of an address.
    ["one address", { connectionsPerAddress: 1 }, 10, 429],
    ["all", { connections: 3 }, 3, 503],
  ])(
    "when there are too many of %s, then a further one is refused before the upgrade",
    async (_, limits, most, status) => {
      const gateway = await start({ config: { limits } });
      const clients = await Promise.all(Array.from({ length: most }, () => enter(gateway)));
      await expect(new WebClient(gateway).opened()).rejects.toThrow(`refused with ${status}`);
      clients[0]?.client.socket.close();
      await clients[0]?.client.closing();
      await enter(gateway);
    },
  );

  it("when two thousand clients connect at once, then all are welcomed and get the entry", async () => {
    const gateway = await start({ config: { limits: { connectionsPerAddress: 3_000, connectionsPerVisitor: 3_000 } } });
    const { welcome } = await enter(gateway);
    const clients = await Promise.all(
      Array.from(
        { length: 2_000 },
        async (_, n) => (await enter(gateway, n % 2 ? { token: welcome.token } : {})).client,
      ),
    );
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r1"));
    await Promise.all(clients.filter((_, n) => n % 2).map((client) => client.next("reply")));
    expect(clients.filter((client) => client.logged().length > 0)).toHaveLength(1_000);
    for (const client of clients) client.socket.terminate();
  });
});

describe("given a client that never reads (F6)", () => {
  /** Answers the upgrade and hello, then stops reading; pings stay unanswered too. */
  const deafClient = async (gateway: { url: string; origin: string }, token: string) => {
    const socket = new Socket();
    const { port } = new URL(gateway.url);
    await new Promise<void>((resolve) => socket.connect(Number(port), "127.0.0.1", resolve));
    socket.write(
      `GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: mooring.v1\r\nOrigin: ${gateway.origin}\r\n\r\n`,
    );
    const hello = Buffer.from(JSON.stringify({ type: "hello", token, resumeFrom: 0 }));
    socket.write(Buffer.concat([Buffer.from([0x81, 0xfe, hello.length >> 8, hello.length & 255, 0, 0, 0, 0]), hello]));
    await new Promise<void>((resolve) => socket.once("data", () => resolve()));
    socket.pause();
    socket.on("error", () => undefined);
    return socket;
  };

  it("when much is sent, then its buffer stays small, it is terminated after 30 s, and others get everything at once", async () => {
    const clock = new OrderedClock();
    const gateway = await start({ clock });
    const buffered: (() => number)[] = [];
    const connect = gateway.adapter.connect.bind(gateway.adapter);
    gateway.adapter.connect = (socket, request) => {
      buffered.push(() => socket.bufferedAmount);
      connect(socket, request);
    };
    const { client, welcome } = await enter(gateway);
    const deaf = await deafClient(gateway, welcome.token);
    const part = { index: 0, count: 1, markdown: "x".repeat(100_000) };
    for (let n = 1; n <= 150; n++) await gateway.adapter.deliver(makeDelivery(welcome.conversation, `r${n}`, { part }));
    await client.next("reply", ({ seq }) => seq === 150);
    expect(client.logged().map(({ seq }) => seq)).toEqual(Array.from({ length: 150 }, (_, index) => index + 1));
    expect(buffered[1]?.()).toBeGreaterThan(64 * 1024);
    expect(buffered[1]?.()).toBeLessThan(300_000);
    const ended = new Promise((resolve) => deaf.once("close", resolve));
    await clock.advance(32_000);
    deaf.resume();
    await ended;
    client.send({ type: "message", id: "m1", text: "still here" });
    await client.next("accepted");
  });

  it("when much is sent to twenty of them, then memory does not grow beyond the log itself (F29)", async () => {
    const gateway = await start({ clock: new OrderedClock() });
    const { client, welcome } = await enter(gateway);
    client.socket.terminate();
    await client.closing();
    let sent = 0;
    const growth = async () => {
      const before = bytesHeld();
      const part = { index: 0, count: 1, markdown: "x".repeat(100_000) };
      for (let n = 0; n < 150; n++) {
        await gateway.adapter.deliver(makeDelivery(welcome.conversation, `r${++sent}`, { part }));
      }
      return bytesHeld() - before;
    };
    // The log itself is in memory in this test.
    const log = await growth();
    const deaf = await Promise.all(Array.from({ length: 20 }, () => deafClient(gateway, welcome.token)));
    expect((await growth()) - log).toBeLessThan(15_000_000);
    for (const socket of deaf) socket.destroy();
  });

  it("when it answers no ping, then it is terminated (F21)", async () => {
    const clock = new OrderedClock();
    const gateway = await start({ clock });
    const { client, welcome } = await enter(gateway);
    const deaf = await deafClient(gateway, welcome.token);
    const ended = new Promise((resolve) => deaf.once("close", resolve));
    const pinged = new Promise((resolve) => client.socket.once("ping", resolve));
    await clock.advance(26_000);
    await pinged;
    client.send({ type: "history", before: 1, limit: 1 });
    await client.next("history");
    await clock.advance(26_000);
    deaf.resume();
    await ended;
    expect(client.closed).toBeUndefined();
  });
});

describe("given a gateway that is stopping (F30)", () => {
  it("when it stops, then received frames are answered, sockets are closed with 1012, and new ones are refused", async () => {
    let store: () => void = () => undefined;
    const arrived: (() => void)[] = [];
    const inbox = {
      accept: () =>
        new Promise<undefined>((resolve) => {
          store = () => resolve(undefined);
          for (const resolve of arrived) resolve();
        }),
    };
    const gateway = await start({ inbox });
    const { client } = await enter(gateway);
    const atInbox = new Promise<void>((resolve) => arrived.push(resolve));
    client.send({ type: "message", id: "m1", text: "x" });
    await atInbox;
    const stopped = gateway.adapter.stop();
    await expect(new WebClient(gateway).opened()).rejects.toThrow("refused with 503");
    store();
    await client.next("accepted");
    expect(await client.closing()).toBe(1012);
    await stopped;
    await gateway.adapter.stop();
    const refused = gateway.adapter.deliver(makeDelivery("v1-a", "r1"));
    await expect(refused).rejects.toMatchObject({ name: "DeliveryFailed", reason: "unavailable" });
  });

  it("when a message is never stored, then stopping times out", async () => {
    const clock = new OrderedClock();
    const gateway = await start({ clock, inbox: { accept: () => new Promise<undefined>(() => undefined) } });
    const { client } = await enter(gateway);
    client.send({ type: "message", id: "m1", text: "x" });
    client.send({ type: "typing" });
    const stopped = gateway.adapter.stop();
    await clock.advance(5_000);
    expect(await client.closing()).toBe(1012);
    await stopped;
  });
});

describe("given an undeliverable reply", () => {
  it("when the target belongs to another channel, then it is rejected", async () => {
    const gateway = await start();
    const target = { channel: "slack", room: "C1", kind: "shared" as const };
    const refused = gateway.adapter.deliver(makeDelivery("v1-a", "r1", { target }));
    await expect(refused).rejects.toMatchObject({ name: "DeliveryFailed", reason: "rejected" });
  });
});

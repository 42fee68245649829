import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClientFrame } from "../../../../adapters/web/protocol.ts";
import { parseFrame } from "../../../../adapters/web/server/frame-codec.ts";
import { AppError } from "../../../../core/contract/app-error.ts";
import { MemoryStore } from "../memory-store.ts";
import { OrderedClock } from "../ordered-clock.ts";
import { runningGateways } from "../running-gateways.ts";
import { enter, WebClient } from "../web-client.ts";

const start = runningGateways();

describe("given invalid frames (F19, F20)", () => {
  it.each([
    ["invalid JSON", "{"],
    ["a list", "[1]"],
    ["null", "null"],
    ["a frame without a type", "{}"],
    ["an unknown type", '{"type":"dance"}'],
    ["a message without id", '{"type":"message","text":"x"}'],
    ["an id with a line break", '{"type":"message","id":"a\\nb","text":"x"}'],
    ["an id that is too long", JSON.stringify({ type: "message", id: "a".repeat(101), text: "x" })],
    ["a text that is an object", '{"type":"message","id":"m","text":{}}'],
    ["an empty text", '{"type":"message","id":"m","text":" \\n"}'],
    ["a command in capitals", '{"type":"command","id":"c","name":"WHY"}'],
    ["a page that is too long", '{"type":"history","before":1,"limit":101}'],
    ["a negative position", '{"type":"history","before":-1,"limit":10}'],
    ["deep nesting", `{"type":${"[".repeat(30_000)}${"]".repeat(30_000)}}`],
    ["a prototype", '{"__proto__":{"type":"hello"}}'],
  ])("when a client sends %s, then it gets an error, and the connection stays open", async (_, raw) => {
    const gateway = await start();
    const { client } = await enter(gateway);
    client.sendRaw(raw);
    expect(await client.next("error")).toMatchObject({ code: "bad-frame" });
    client.send({ type: "message", id: "m1", text: "still here" });
    await client.next("accepted");
    expect(({} as Record<string, unknown>).type).toBeUndefined();
  });

  it("when more than ten arrive, then the socket is closed with 1008", async () => {
    const gateway = await start();
    const { client } = await enter(gateway);
    for (let n = 0; n < 11; n++) client.sendRaw("?");
    expect(await client.closing()).toBe(1008);
    expect(client.frames.filter(({ type }) => type === "error")).toHaveLength(11);
  });

  it("when arbitrary data arrives, then parsing never throws and never pollutes a prototype", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("latin1")),
        ),
        (raw) => {
          const parsed = parseFrame(Buffer.from(raw));
          expect("frame" in parsed || parsed.problem.length > 0).toBe(true);
          expect(Object.keys(Object.prototype)).toEqual([]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("when a message has a lone surrogate or NUL, then it is stored as well-formed text", async () => {
    const gateway = await start();
    const { client } = await enter(gateway);
    client.sendRaw('{"type":"message","id":"m1","text":"a\\ud800b\\u0000"}');
    expect(await client.next("said")).toMatchObject({ text: "a\ufffdb\u0000" });
  });

  it.each([
    ["a binary frame", (client: WebClient) => client.sendRaw(Buffer.from("{}"), { binary: true }), 1003],
    [
      "text that is not UTF-8",
      (client: WebClient) => client.sendRaw(Buffer.from([0xff, 0xfe]), { binary: false }),
      1007,
    ],
    ["a frame that is too large", (client: WebClient) => client.sendRaw("x".repeat(70_000)), 1009],
  ])(
    "when a client sends %s, then its socket is closed with the documented code, and others stay open",
    async (_, send, code) => {
      const gateway = await start();
      const { client } = await enter(gateway);
      const { client: other } = await enter(gateway);
      send(client);
      expect(await client.closing()).toBe(code);
      other.send({ type: "message", id: "m1", text: "here" });
      await other.next("accepted");
    },
  );

  it("when the transport passes a frame that is too large, then the adapter refuses it", async () => {
    const gateway = await start({ config: { limits: { frameBytes: 2_000 } } });
    const sent: number[] = [];
    let listener: (data: Buffer, isBinary: boolean) => void = () => undefined;
    const socket = {
      bufferedAmount: 0,
      send() {},
      ping() {},
      close: (code: number) => sent.push(code),
      terminate() {},
      on(event: string, listen: never) {
        if (event === "message") listener = listen;
      },
    };
    gateway.adapter.connect(socket, { origin: gateway.origin, remoteAddress: "::1", protocols: ["mooring.v1"] });
    listener.call(socket, Buffer.alloc(2_001, "x"), false);
    expect(sent).toEqual([1009]);
  });
});

describe("given frames at the wrong time", () => {
  it("when another frame arrives before hello, then it is refused with hello-expected", async () => {
    const gateway = await start();
    const client = await new WebClient(gateway).opened();
    client.send({ type: "message", id: "m1", text: "x" });
    expect(await client.next("error")).toMatchObject({ code: "hello-expected" });
    client.send({ type: "hello" });
    await client.next("welcome");
    expect(gateway.accepted).toEqual([]);
  });

  it("when hello arrives twice, then it is refused with hello-repeated", async () => {
    const gateway = await start();
    const { client } = await enter(gateway);
    client.send({ type: "hello" });
    expect(await client.next("error")).toMatchObject({ code: "hello-repeated" });
  });

  it("when no hello arrives within five seconds, then the socket is closed with 4001 (F21)", async () => {
    const clock = new OrderedClock();
    const gateway = await start({ clock });
    const client = await new WebClient(gateway).opened();
    await clock.advance(5_000);
    expect(client.closed).toBeUndefined();
    await clock.advance(2_000);
    expect(await client.closing()).toBe(4001);
  });
});

describe("given messages that cannot be accepted", () => {
  const refused: [string, ClientFrame][] = [
    ["too-long", { type: "message", id: "m1", text: "x".repeat(32_001) }],
    ["too-long", { type: "command", id: "m1", name: "why", args: "x".repeat(32_001) }],
    ["attachment-unknown", { type: "message", id: "m1", text: "x", attachments: [{ id: "f-not-there" }] }],
  ];

  it.each(refused)("when it is %s, then the error names the message", async (code, frame) => {
    const gateway = await start();
    const { client } = await enter(gateway);
    client.send(frame);
    expect(await client.next("error")).toMatchObject({ code, id: "m1" });
    expect(gateway.accepted).toEqual([]);
  });

  it.each([
    ["forbidden", "refused"],
    ["bad-input", "refused"],
    ["too-large", "too-long"],
    ["rate-limited", "rate-limited"],
    ["unavailable", "unavailable"],
  ] as const)(
    "when the inbox rejects with %s, then the client gets %s, and the log stays empty",
    async (code, error) => {
      const inbox = { accept: async () => Promise.reject(new AppError(code, "no")) };
      const gateway = await start({ inbox });
      const { client } = await enter(gateway);
      client.send({ type: "message", id: "m1", text: "x" });
      expect(await client.next("error")).toMatchObject({ code: error, id: "m1" });
      client.send({ type: "history", before: 10, limit: 10 });
      expect((await client.next("history")).items).toEqual([]);
    },
  );

  it("when the store fails at hello, then unavailable and 1013; a later attempt succeeds", async () => {
    const store = new MemoryStore(new OrderedClock());
    const gateway = await start({ store });
    const { welcome } = await enter(gateway);
    const second = await start({ store });
    store.before = () => Promise.reject(new AppError("unavailable", "store away"));
    const client = await new WebClient(second).opened();
    client.send({ type: "hello", token: welcome.token });
    expect(await client.next("error")).toMatchObject({ code: "unavailable" });
    expect(await client.closing()).toBe(1013);
    store.before = () => undefined;
    await enter(second, { token: welcome.token });
  });
});

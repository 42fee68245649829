import { describe, expect, it } from "vitest";
import { PRESENCE_TTL_MS } from "../../../../core/backbone/nats/subscriber-presence.ts";
import type { Clock } from "../../../../core/contract/clock.ts";
import { systemClock } from "../../../../core/contract/clock.ts";
import { cleanup } from "./rig/cleanup.ts";
import { eventually } from "./rig/eventually.ts";
import { numbered, numbers, thingKey } from "./rig/samples.ts";

const start = cleanup();
const often = numbers("often");
const seldom = { ...numbers("seldom"), seldomHeard: true };

/** One who signals, on a wire that is listened in on, and whose time goes by as it is told. */
const speaking = async () => {
  const server = await start.server();
  const wire = await start.wire(server.port);
  let sent = "";
  wire.fail("cut", (bytes) => {
    sent += bytes;
    return false;
  });
  let now = 0;
  const clock: Clock = { ...systemClock, monotonic: () => now };
  const { bus, store } = await start.backbone({ servers: [wire.url], clock });
  return {
    server,
    pass: (ms: number) => (now += ms),
    /** Resolves once the server has seen it, and has said what it says to it. */
    signal: async (subject: typeof often, n: number) => {
      bus.signal(subject, numbered(n));
      await store.get(thingKey("x"));
    },
    /** Of the signals on a subject, as they went over the wire. */
    sent: (subject: typeof often) =>
      [...sent.matchAll(new RegExp(`PUB mooring_signal.${subject.name} .*\r\n{"n":(\\d+)}`, "g"))].map(([, n]) =>
        Number(n),
      ),
  };
};

describe("given a subject that is seldom heard", () => {
  it("when nobody listens, then one signal in a while is sent, and all others are spared", async () => {
    const speaker = await speaking();
    for (const n of [1, 2, 3]) await speaker.signal(seldom, n);
    expect(speaker.sent(seldom)).toEqual([1]);
    speaker.pass(PRESENCE_TTL_MS);
    for (const n of [4, 5]) await speaker.signal(seldom, n);
    expect(speaker.sent(seldom)).toEqual([1, 4]);
    for (const n of [6, 7]) await speaker.signal(often, n);
    expect(speaker.sent(often)).toEqual([6, 7]);
  });

  it("when somebody begins to listen, then everything from there on is heard", async () => {
    const speaker = await speaking();
    for (const n of [1, 2]) await speaker.signal(seldom, n);
    const listener = await start.backbone({ servers: [speaker.server.url] });
    const heard: number[] = [];
    const began = performance.now();
    await listener.bus.listen(seldom, ({ n }) => heard.push(n));
    speaker.pass(performance.now() - began);
    for (const n of [3, 4, 5]) await speaker.signal(seldom, n);
    await eventually(() => expect(heard).toEqual([3, 4, 5]));
  });
});

describe("given a process in which several listen to one subject", () => {
  const two = async () => {
    const server = await start.server();
    const wire = await start.wire(server.port);
    const deliveries: string[] = [];
    const delivery = new RegExp(`^MSG mooring_signal.${often.name} `, "gm");
    wire.hear((bytes) => deliveries.push(...(bytes.match(delivery) ?? [])));
    const { bus, store } = await start.backbone({ servers: [wire.url] });
    const elsewhere = await start.backbone({ servers: [server.url] });
    const heard: Record<"one" | "other", number[]> = { one: [], other: [] };
    const listeners = {
      one: await bus.listen(often, ({ n }) => heard.one.push(n)),
      other: await bus.listen(often, ({ n }) => heard.other.push(n)),
    };
    /** Resolves once it was heard: the server answers in order. */
    const signal = async (n: number, from = elsewhere) => {
      from.bus.signal(often, numbered(n));
      await from.store.get(thingKey("x"));
      await store.get(thingKey("x"));
    };
    const signalHere = (n: number) => signal(n, { ...elsewhere, bus, store });
    /** Whoever has stopped by now hears nothing more. */
    const settled = () => store.get(thingKey("x"));
    return { heard, listeners, signal, signalHere, settled, deliveries };
  };

  it("when a signal comes, then the server sends it once, and each of them hears it", async () => {
    const { heard, signal, deliveries } = await two();
    await signal(1);
    expect(heard).toEqual({ one: [1], other: [1] });
    expect(deliveries).toHaveLength(1);
  });

  it("when the signal is the process's own, then each hears it once, and the server sends nothing back", async () => {
    const { heard, signal, signalHere, deliveries } = await two();
    for (const n of [1, 2]) await signalHere(n);
    expect(heard).toEqual({ one: [1, 2], other: [1, 2] });
    expect(deliveries).toEqual([]);
    await signal(3);
    expect(heard).toEqual({ one: [1, 2, 3], other: [1, 2, 3] });
  });

  it("when the server is away, then they still hear what is said in their process", async () => {
    const server = await start.server();
    const { bus, health } = await start.backbone({ servers: [server.url] });
    const heard: number[] = [];
    await bus.listen(often, ({ n }) => heard.push(n));
    await server.stop();
    await eventually(() => expect(health().ok).toBe(false));
    bus.signal(often, numbered(1));
    await eventually(() => expect(heard).toEqual([1]));
  });

  it("when one stops, then the other goes on; and when both have, then nothing is sent any more", async () => {
    const { heard, listeners, signal, settled, deliveries } = await two();
    listeners.one.close();
    await signal(1);
    listeners.other.close();
    listeners.other.close();
    await settled();
    await signal(2);
    expect(heard).toEqual({ one: [], other: [1] });
    expect(deliveries).toHaveLength(1);
  });
});

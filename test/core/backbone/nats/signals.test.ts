import { describe, expect, it } from "vitest";
import { PRESENCE_TTL_MS } from "../../../../core/backbone/nats/subscriber-presence.ts";
import type { Clock } from "../../../../core/contract/ports/clock.ts";
import { systemClock } from "../../../../core/contract/ports/clock.ts";
import { cleanup } from "./rig/cleanup.ts";
import { eventually } from "./rig/eventually.ts";
import { numbered, numbers, thingKey } from "./rig/samples.ts";

const start = cleanup();
const often = numbers("often");
const seldom = { ...numbers("seldom"), seldomHeard: true };

/** A process that sends signals over a recorded connection, with a clock that the test advances. */
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
    /** Resolves once the server has processed it: the server answers in order. */
    signal: async (subject: typeof often, n: number) => {
      bus.signal(subject, numbered(n));
      await store.get(thingKey("x"));
    },
    /** The signals of a subject that were sent over the connection. */
    sent: (subject: typeof often) =>
      [...sent.matchAll(new RegExp(`PUB mooring_signal.${subject.name} .*\r\n{"n":(\\d+)}`, "g"))].map(([, n]) =>
        Number(n),
      ),
  };
};

describe("given a subject with the flag seldomHeard", () => {
  it("when it has no listener, then one signal per TTL of the presence check is sent, and no other", async () => {
    const speaker = await speaking();
    for (const n of [1, 2, 3]) await speaker.signal(seldom, n);
    expect(speaker.sent(seldom)).toEqual([1]);
    speaker.pass(PRESENCE_TTL_MS);
    for (const n of [4, 5]) await speaker.signal(seldom, n);
    expect(speaker.sent(seldom)).toEqual([1, 4]);
    for (const n of [6, 7]) await speaker.signal(often, n);
    expect(speaker.sent(often)).toEqual([6, 7]);
  });

  it("when a listener subscribes, then it receives all signals from there on", async () => {
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

describe("given a process with several listeners on one subject", () => {
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
    /** Resolves once the listeners have received it: the server answers in order. */
    const signal = async (n: number, from = elsewhere) => {
      from.bus.signal(often, numbered(n));
      await from.store.get(thingKey("x"));
      await store.get(thingKey("x"));
    };
    const signalHere = (n: number) => signal(n, { ...elsewhere, bus, store });
    /** Resolves once the server has processed the unsubscriptions. */
    const settled = () => store.get(thingKey("x"));
    return { heard, listeners, signal, signalHere, settled, deliveries };
  };

  it("when another process sends a signal, then the server delivers it once, and each listener receives it", async () => {
    const { heard, signal, deliveries } = await two();
    await signal(1);
    expect(heard).toEqual({ one: [1], other: [1] });
    expect(deliveries).toHaveLength(1);
  });

  it("when the process itself sends a signal, then each listener receives it once, and the server does not echo it", async () => {
    const { heard, signal, signalHere, deliveries } = await two();
    for (const n of [1, 2]) await signalHere(n);
    expect(heard).toEqual({ one: [1, 2], other: [1, 2] });
    expect(deliveries).toEqual([]);
    await signal(3);
    expect(heard).toEqual({ one: [1, 2, 3], other: [1, 2, 3] });
  });

  it("when the server is unreachable, then listeners still receive signals of their own process", async () => {
    const server = await start.server();
    const { bus, health } = await start.backbone({ servers: [server.url] });
    const heard: number[] = [];
    await bus.listen(often, ({ n }) => heard.push(n));
    await server.stop();
    await eventually(() => expect(health().ok).toBe(false));
    bus.signal(often, numbered(1));
    await eventually(() => expect(heard).toEqual([1]));
  });

  it("when one closes, then the other still receives signals; when both have closed, then the server delivers none", async () => {
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

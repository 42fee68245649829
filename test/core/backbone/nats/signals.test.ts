import { describe, expect, it } from "vitest";
import { PRESENCE_TTL_MS } from "../../../../core/backbone/nats/nats-signals.ts";
import { type Clock, systemClock } from "../../../../core/contract/ports/clock.ts";
import { cleanup } from "./rig/cleanup.ts";
import { eventually } from "./rig/eventually.ts";
import { numbered, numbers, sampleKey } from "./rig/samples.ts";

const start = cleanup();
const frequent = numbers("frequent");
const rare = { ...numbers("rare"), rarelyObserved: true };

/** A process that sends signals over a recorded connection, with a clock that the test advances. */
const recordedSender = async () => {
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
    signal: async (subject: typeof frequent, n: number) => {
      bus.signal(subject, numbered(n));
      await store.get(sampleKey("x"));
    },
    /** The signals of a subject that were sent over the connection. */
    sent: (subject: typeof frequent) =>
      [...sent.matchAll(new RegExp(`PUB mooring_signal.${subject.name} .*\r\n{"n":(\\d+)}`, "g"))].map(([, n]) =>
        Number(n),
      ),
  };
};

describe("given a subject with the flag rarelyObserved", () => {
  it("when it has no listener, then one signal per TTL of the presence check is sent, and no other", async () => {
    const sender = await recordedSender();
    for (const n of [1, 2, 3]) await sender.signal(rare, n);
    expect(sender.sent(rare)).toEqual([1]);
    sender.pass(PRESENCE_TTL_MS);
    for (const n of [4, 5]) await sender.signal(rare, n);
    expect(sender.sent(rare)).toEqual([1, 4]);
    for (const n of [6, 7]) await sender.signal(frequent, n);
    expect(sender.sent(frequent)).toEqual([6, 7]);
  });

  it("when a listener subscribes, then it receives all signals from there on", async () => {
    const sender = await recordedSender();
    for (const n of [1, 2]) await sender.signal(rare, n);
    const listener = await start.backbone({ servers: [sender.server.url] });
    const received: number[] = [];
    const began = performance.now();
    await listener.bus.listen(rare, ({ n }) => received.push(n));
    sender.pass(performance.now() - began);
    for (const n of [3, 4, 5]) await sender.signal(rare, n);
    await eventually(() => expect(received).toEqual([3, 4, 5]));
  });
});

describe("given a process with several listeners on one subject", () => {
  const two = async () => {
    const server = await start.server();
    const wire = await start.wire(server.port);
    const deliveries: string[] = [];
    const delivery = new RegExp(`^MSG mooring_signal.${frequent.name} `, "gm");
    wire.onServerData((bytes) => deliveries.push(...(bytes.match(delivery) ?? [])));
    const { bus, store } = await start.backbone({ servers: [wire.url] });
    const elsewhere = await start.backbone({ servers: [server.url] });
    const received: Record<"one" | "other", number[]> = { one: [], other: [] };
    const listeners = {
      one: await bus.listen(frequent, ({ n }) => received.one.push(n)),
      other: await bus.listen(frequent, ({ n }) => received.other.push(n)),
    };
    /** Resolves once the listeners have received it: the server answers in order. */
    const signal = async (n: number, from = elsewhere) => {
      from.bus.signal(frequent, numbered(n));
      await from.store.get(sampleKey("x"));
      await store.get(sampleKey("x"));
    };
    const signalHere = (n: number) => signal(n, { ...elsewhere, bus, store });
    /** Resolves once the server has processed the unsubscriptions. */
    const settled = () => store.get(sampleKey("x"));
    return { received, listeners, signal, signalHere, settled, deliveries };
  };

  it("when another process sends a signal, then the server delivers it once, and each listener receives it", async () => {
    const { received, signal, deliveries } = await two();
    await signal(1);
    expect(received).toEqual({ one: [1], other: [1] });
    expect(deliveries).toHaveLength(1);
  });

  it("when the process itself sends a signal, then each listener receives it once, and the server does not echo it", async () => {
    const { received, signal, signalHere, deliveries } = await two();
    for (const n of [1, 2]) await signalHere(n);
    expect(received).toEqual({ one: [1, 2], other: [1, 2] });
    expect(deliveries).toEqual([]);
    await signal(3);
    expect(received).toEqual({ one: [1, 2, 3], other: [1, 2, 3] });
  });

  it("when the server is unreachable, then listeners still receive signals of their own process", async () => {
    const server = await start.server();
    const { bus, health } = await start.backbone({ servers: [server.url] });
    const received: number[] = [];
    await bus.listen(frequent, ({ n }) => received.push(n));
    await server.stop();
    await eventually(() => expect(health().ok).toBe(false));
    bus.signal(frequent, numbered(1));
    await eventually(() => expect(received).toEqual([1]));
  });

  it("when one closes, then the other still receives signals; when both have closed, then the server delivers none", async () => {
    const { received, listeners, signal, settled, deliveries } = await two();
    listeners.one.close();
    await signal(1);
    listeners.other.close();
    listeners.other.close();
    await settled();
    await signal(2);
    expect(received).toEqual({ one: [], other: [1] });
    expect(deliveries).toHaveLength(1);
  });
});

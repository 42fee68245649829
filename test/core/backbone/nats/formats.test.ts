import { connect, headers } from "nats";
import { describe, expect, it } from "vitest";
import { DATA_FORMAT } from "../../../../core/backbone/data-format.ts";
import { inspectNats } from "../../../../core/backbone/nats/inspect-nats.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { cleanup } from "./rig/cleanup.ts";
import { eventually } from "./rig/eventually.ts";
import { numbered, numbers, sampleKey } from "./rig/samples.ts";

const start = cleanup();
const subject = numbers("formats");
const shared = { durable: "formats", concurrency: 1 };

describe("given a deployment on NATS", () => {
  it("when it has stored records, messages and its own state, then each of them names the format of its writer (U5)", async () => {
    const { url } = await start.server();
    const { bus, store } = await start.backbone({ servers: [url], partitions: 2 });
    let handled = 0;
    await bus.consume(subject, shared, async () => {
      handled++;
      return { ack: true };
    });
    await bus.publish(subject, numbered(1), { id: "a", key: "k" });
    const revision = await store.put(sampleKey("kept"), { n: 1 });
    await store.put(sampleKey("kept"), { n: 2 }, { ifRevision: revision });
    await store.put(sampleKey("brief"), { n: 1 }, { ttlMs: 60_000 });
    await store.put(sampleKey("gone"), { n: 1 });
    await store.delete(sampleKey("gone"));
    // A second process with more partitions changes the layout and splits the records.
    await start.backbone({ servers: [url], partitions: 4 });
    await eventually(() => expect(handled).toBe(1));
    await inspectNats({ servers: [url] });
    await eventually(async () => expect((await formatsAt(url)).get("KV_mooring_bus_partitions")?.size).toBe(1));
    const found = await formatsAt(url);
    expect([...found.keys()].sort()).toEqual(
      expect.arrayContaining([
        "KV_mooring_bus_beats",
        "KV_mooring_bus_members",
        "KV_mooring_things",
        "mooring_test_number",
      ]),
    );
    for (const [stream, formats] of found)
      expect({ stream, formats: [...formats] }).toEqual({ stream, formats: [String(DATA_FORMAT)] });
  });

  it("when a newer version has stored a record and a message that this one cannot read, then the errors say so (U5)", async () => {
    const { url } = await start.server();
    const logger = new RecordingLogger();
    const { bus, store } = await start.backbone({ servers: [url], partitions: 1, logger });
    await store.put(sampleKey("new"), { n: 1 });
    await bus.publish(subject, numbered(1), { id: "a", key: "k" });
    const nc = await connect({ servers: url });
    const newer = headers();
    newer.set("Mooring-Format", String(DATA_FORMAT + 1));
    const js = nc.jetstream();
    await js.publish("$KV.mooring_things.new", '{"n":"one"}', { headers: newer });
    await js.publish(`mooring.${subject.name}.0`, '{"n":"one"}', { headers: newer });
    await nc.close();
    const said = `written by a newer Mooring, format ${DATA_FORMAT + 1}`;
    await expect(store.get(sampleKey("new"))).rejects.toThrow(said);
    const letters: string[] = [];
    const onDeadLetter = async (_: unknown, { reason }: { reason: string }) => void letters.push(reason);
    await bus.consume(subject, { ...shared, onDeadLetter }, async () => ({ ack: true }));
    await eventually(() => expect(letters).toEqual([expect.stringContaining(said)]));
  });
});

/** The formats of all messages, by stream. */
const formatsAt = async (url: string): Promise<Map<string, Set<string>>> => {
  const nc = await connect({ servers: url });
  try {
    const jsm = await nc.jetstreamManager();
    const found = new Map<string, Set<string>>();
    for await (const { config, state } of jsm.streams.list()) {
      const formats = new Set<string>();
      found.set(config.name, formats);
      for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
        const stored = await jsm.streams.getMessage(config.name, { seq }).catch(() => undefined);
        if (stored) formats.add(stored.header.get("Mooring-Format"));
      }
    }
    return new Map([...found].filter(([, formats]) => formats.size > 0));
  } finally {
    await nc.close();
  }
};

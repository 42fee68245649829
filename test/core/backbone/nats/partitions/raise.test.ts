import { describe, expect, it } from "vitest";
import { partitionOf } from "../../../../../core/backbone/nats/partitions/index.ts";
import type { Backbone } from "../../../../../core/contract/ports/backbone.ts";
import { RecordingLogger } from "../../../../fakes/recording-logger.ts";
import { cleanup } from "../rig/cleanup.ts";
import { eventually } from "../rig/eventually.ts";
import { Journal } from "../rig/journal.ts";
import { shares } from "../rig/owners.ts";
import { numbered, numbers } from "../rig/samples.ts";

const start = cleanup();
const subject = numbers("shared");
const shared = { durable: "shared", concurrency: 8 };
const keys = Array.from({ length: 40 }, (_, k) => `k${k}`);
const nap = () => new Promise((resolve) => setTimeout(resolve, 2));

/** Publishes round after round to all keys. The result ends it and resolves to the number of rounds. */
const load = ({ bus }: Backbone): (() => Promise<number>) => {
  let isOver = false;
  const publishing = (async () => {
    let rounds = 0;
    for (; !isOver; rounds++) {
      const n = rounds;
      await Promise.all(keys.map((key) => bus.publish(subject, numbered(n), { id: `${key}/${n}`, key })));
    }
    return rounds;
  })();
  return () => {
    isOver = true;
    return publishing;
  };
};

describe("given processes that share a durable of four partitions under load", () => {
  it("when one starts with 8 and later one with 32, then all share them, and each key stays in order, once", async () => {
    const { url } = await start.server();
    const journal = new Journal();
    const join = async (name: string, partitions: number) => {
      const backbone = await start.backbone({ servers: [url], partitions, leaseMs: 60_000 });
      await backbone.bus.consume(subject, shared, journal.handler(name, nap));
      return backbone;
    };
    const publisher = await start.backbone({ servers: [url], partitions: 4 });
    for (const name of ["one", "two"]) await join(name, 4);
    const end = load(publisher);
    await join("three", 8);
    await eventually(async () => expect(await shares(url, 8)).toEqual([2, 3, 3]));
    await join("four", 32);
    await eventually(async () => expect(await shares(url, 32)).toEqual([8, 8, 8, 8]));
    const seen = journal.runs.length;
    await eventually(() => expect(journal.runs.length).toBeGreaterThan(seen + 400));
    const rounds = await end();
    await eventually(() => expect(journal.distinct).toBe(keys.length * rounds));
    journal.expectOrder();
    expect(journal.repeats).toBe(0);
    for (const name of ["one", "two", "three", "four"]) expect(journal.by(name)).toBeGreaterThan(0);
  });

  it("when a child is killed with kill -9 while they are raised, then none is lost and each key stays in order", async () => {
    const { url } = await start.server();
    const journal = new Journal();
    const here = await start.backbone({ servers: [url], partitions: 32 });
    await here.bus.consume(subject, shared, journal.handler("here", nap));
    const child = await start.child(url, { handleMs: 1 });
    await eventually(async () => expect(await shares(url)).toEqual([16, 16]));
    const end = load(here);
    await eventually(() => expect(child.ids("end").length).toBeGreaterThan(40));
    const raising = await start.backbone({ servers: [url], partitions: 64 });
    await raising.bus.consume(subject, shared, journal.handler("raising", nap));
    await child.end("SIGKILL");
    await eventually(async () => expect(await shares(url, 64)).toEqual([32, 32]));
    const rounds = await end();
    const ended = () => new Set([...journal.runs.map(({ key, n }) => `${key}/${n}`), ...child.ids("end")]);
    await eventually(() => expect(ended().size).toBe(keys.length * rounds));
    for (const key of keys) {
      const order = journal.runs.filter((run) => run.key === key).map(({ n }) => n);
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
    expect(journal.overlaps).toEqual([]);
  });

  it("when a handler runs for long while they are raised, then only keys that move wait for it", async () => {
    const { url } = await start.server();
    const journal = new Journal();
    const one = await start.backbone({ servers: [url], partitions: 1, leaseMs: 60_000 });
    let release: () => void = () => undefined;
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handle = journal.handler("one");
    const started: string[] = [];
    await one.bus.consume(subject, shared, async (message, received) => {
      started.push(received.id);
      if (received.id.startsWith("moves-0/")) await stuck;
      return handle(message, received);
    });
    await one.bus.publish(subject, numbered(0), { id: "moves-0/0", key: keyOf(1) });
    await eventually(() => expect(started).toEqual(["moves-0/0"]));
    const two = await start.backbone({ servers: [url], partitions: 2, leaseMs: 60_000 });
    await two.bus.consume(subject, shared, journal.handler("two"));
    await one.bus.publish(subject, numbered(1), { id: "moves-0/1", key: keyOf(1) });
    await eventually(async () => {
      // Stays in partition 0: runs before and after the raise.
      await one.bus.publish(subject, numbered(0), { id: `stays/${journal.runs.length}`, key: keyOf(0) });
      expect(journal.by("one")).toBeGreaterThan(5);
    });
    expect(await shares(url, 2)).toEqual([1]);
    expect(journal.runs.filter(({ key }) => key === "moves-0")).toEqual([]);
    release();
    await eventually(async () => expect(await shares(url, 2)).toEqual([1, 1]));
    await eventually(() =>
      expect(journal.runs.filter(({ key }) => key === "moves-0").map(({ n }) => n)).toEqual([0, 1]),
    );
    expect(journal.overlaps).toEqual([]);
  });

  it("when a process restarts with the number from before the raise, then it works with the raised one and logs advice", async () => {
    const { url } = await start.server();
    const logger = new RecordingLogger();
    const journal = new Journal();
    const first = await start.backbone({ servers: [url], partitions: 4 });
    await first.close();
    const raised = new RecordingLogger();
    const raising = await start.backbone({ servers: [url], partitions: 8, logger: raised });
    await eventually(() => expect(raised.lines.items.map(({ message }) => message)).toContain("partitions raised"));
    await raising.close();
    const late = await start.backbone({ servers: [url], partitions: 4, logger });
    await late.bus.consume(subject, shared, journal.handler("late"));
    await eventually(async () => expect(await shares(url, 8)).toEqual([8]));
    const warnings = logger.lines.items.filter(({ level }) => level === "warn").map(({ message }) => message);
    expect(warnings).toEqual(["partitions cannot be lowered, set nats.partitions to the current number"]);
    await Promise.all(keys.map((key) => late.bus.publish(subject, numbered(0), { id: `${key}/0`, key })));
    await eventually(() => expect(journal.distinct).toBe(keys.length));
  });
});

/** A key of this partition of two. */
const keyOf = (partition: number): string => keys.find((key) => partitionOf(key, 2) === partition) ?? "";

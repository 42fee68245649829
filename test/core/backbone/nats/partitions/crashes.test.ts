import { describe, expect, it } from "vitest";
import { cleanup } from "../rig/cleanup.ts";
import { eventually } from "../rig/eventually.ts";
import { Journal } from "../rig/journal.ts";
import { owners, shares } from "../rig/owners.ts";
import { numbered, numbers } from "../rig/samples.ts";

const start = cleanup();
const subject = numbers("shared");
const shared = { durable: "shared", concurrency: 8 };
const keys = Array.from({ length: 40 }, (_, k) => `k${k}`);

describe("given two processes that share a durable, one of them a child", () => {
  it("when the child is killed with kill -9, then this process handles its messages, and none is lost", async () => {
    const { url } = await start.server();
    const backbone = await start.backbone({ servers: [url] });
    const journal = new Journal();
    await backbone.bus.consume(subject, shared, journal.handler("here"));
    const child = await start.child(url, { handleMs: 60_000 });
    await eventually(async () => expect(await shares(url)).toEqual([16, 16]));
    await Promise.all(keys.map((key) => backbone.bus.publish(subject, numbered(0), { id: `${key}/0`, key })));
    await eventually(() => expect(child.ids("start").length).toBeGreaterThan(0));
    const theirs = child.ids("start");
    await child.end("SIGKILL");
    await eventually(() => expect(journal.distinct).toBe(keys.length));
    expect(journal.runs.map(({ key }) => `${key}/0`)).toEqual(expect.arrayContaining(theirs));
    expect(journal.repeats).toBe(0);
  });

  it("when the child is suspended, then it loses its partitions; when it resumes, then it is fenced and joins under a new id", async () => {
    const { url } = await start.server();
    const backbone = await start.backbone({ servers: [url] });
    const journal = new Journal();
    await backbone.bus.consume(subject, shared, journal.handler("here"));
    const child = await start.child(url);
    await eventually(async () => expect(await shares(url)).toEqual([16, 16]));
    const before = await owners(url);
    child.signal("SIGSTOP");
    const publishAll = (n: number) =>
      Promise.all(keys.map((key) => backbone.bus.publish(subject, numbered(n), { id: `${key}/${n}`, key })));
    await publishAll(0);
    await eventually(() => expect(journal.distinct).toBe(keys.length));
    expect(await shares(url)).toEqual([32]);
    expect(child.ids("start")).toEqual([]);
    child.signal("SIGCONT");
    await eventually(async () => expect(await shares(url)).toEqual([16, 16]));
    const after = await owners(url);
    expect([...after.keys()].filter((id) => !before.has(id))).toHaveLength(1);
    await publishAll(1);
    await eventually(() =>
      expect(child.ids("end").length + journal.runs.filter(({ n }) => n === 1).length).toBe(keys.length),
    );
    expect(child.ids("end").length).toBeGreaterThan(0);
    // Messages that it received before the suspension ran elsewhere, so it must not run them again.
    expect(child.ids("start").filter((id) => id.endsWith("/0"))).toEqual([]);
    journal.expectOrder();
  });

  it("when the child gets SIGTERM, then it exits", async () => {
    const { url } = await start.server();
    const child = await start.child(url);
    expect(await child.end("SIGTERM")).toBe(0);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import { HourCounts } from "../../../gateway/telemetry/hour-counts.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";

const HOUR_MS = 3_600_000;
const WRITE_MS = 10_000;

let rig: AdminRig;
const processes: HourCounts[] = [];
beforeEach(async () => {
  rig = await AdminRig.open();
});
afterEach(async () => {
  for (const each of processes.splice(0)) await each.stop();
  await rig.close();
});

const startProcess = (instance: string, waiting: ReadonlyMap<string, number> = new Map()) => {
  const counts = new HourCounts(rig.clock);
  counts.start({ store: rig.backbone.store, clock: rig.clock, logger, instance, waiting: () => waiting });
  processes.push(counts);
  return { counts, meter: counts.metered(silentMeter) };
};
const overview = async (query = "", headers?: Record<string, string>) =>
  (await rig.call("GET", `overview${query}`, undefined, headers)).body;

describe("given two processes that count", () => {
  beforeEach(async () => {
    const one = startProcess("one");
    one.meter.count("messages_accepted_total", { channel: "web" });
    one.meter.count("turns_total", { agent: "mooring", outcome: "answered" });
    one.meter.count("turns_total", { agent: "mooring", outcome: "failed" });
    one.meter.observe("turn_seconds", 2, { agent: "mooring" });
    one.meter.observe("turn_seconds", 4, { agent: "mooring" });
    one.meter.observe("delivery_latency_seconds", 9, { channel: "web" });
    one.meter.count("delivery_dead_letters_total", { channel: "web", reason: "refused" });
    one.meter.count("budget_cost_total", { agent: "mooring", model: "m" }, 0.25);
    await one.counts.stop();
    await rig.clock.advance(HOUR_MS);
    const two = startProcess("two", new Map([["mooring", 3]]));
    two.meter.count("messages_accepted_total", { channel: "web" }, 2);
    two.meter.count("messages_accepted_total", { channel: "web-acme" });
    await rig.clock.advance(WRITE_MS);
  });

  it("when an operator opens the overview, then it has the sums of both, by hour", async () => {
    await expect.poll(() => overview()).toMatchObject({ total: { messages: 4 } });
    const shown = await overview();
    expect(shown).toMatchObject({
      range: "day",
      total: { messages: 4, answers: 1, failures: 1, undelivered: 1, cost: 0.25 },
      waiting: 3,
      answerSeconds: 3,
    });
    expect(shown.times).toHaveLength(24);
    expect(shown.times.slice(-2)).toEqual([
      { at: "2026-11-16T08:00:00.000Z", messages: 1, answers: 1, failures: 1, undelivered: 1, cost: 0.25 },
      { at: "2026-11-16T09:00:00.000Z", messages: 3, answers: 0, failures: 0, undelivered: 0 },
    ]);
    expect(shown.channels[0]).toMatchObject({ channel: "web", deliverySeconds: 9, isSlow: true, undelivered: 1 });
  });

  it("when the operator manages one tenant, then nothing of other tenants counts", async () => {
    await expect.poll(() => overview("", acmeAdmin)).toMatchObject({ total: { messages: 1 } });
    const shown = await overview("", acmeAdmin);
    expect(shown).toMatchObject({ total: { answers: 0, undelivered: 0 }, waiting: 0 });
    expect(shown.total).not.toHaveProperty("cost");
    expect(shown.channels.map(({ channel }: { channel: string }) => channel)).toEqual(["web-acme"]);
    expect((await rig.call("GET", "overview?tenant=default", undefined, acmeAdmin)).status).toBe(404);
  });

  it("when a week is chosen, then it has seven days", async () => {
    await expect.poll(() => overview("?range=week")).toMatchObject({ total: { messages: 4 } });
    const { times } = await overview("?range=week");
    expect(times).toHaveLength(7);
    expect(times.at(-1)).toMatchObject({ at: "2026-11-16T00:00:00.000Z", messages: 4 });
  });

  it("when a process stops reporting, then its waiting messages no longer count", async () => {
    await expect.poll(() => overview()).toMatchObject({ waiting: 3 });
    for (const each of processes.splice(0)) await each.stop();
    await rig.clock.advance(5 * WRITE_MS);
    expect(await overview()).toMatchObject({ waiting: 0, total: { messages: 4 } });
  });

  it("when the range is unknown, then it is refused", async () => {
    expect((await rig.call("GET", "overview?range=year")).status).toBe(400);
  });
});

describe("given a store that cannot write for a while", () => {
  it("when it can write again, then no count is missing", async () => {
    const { store } = rig.backbone;
    let isDown = true;
    const put: typeof store.put = (...args) => (isDown ? Promise.reject(new Error("down")) : store.put(...args));
    const counts = new HourCounts(rig.clock);
    processes.push(counts);
    counts.start({ store: { ...store, put }, clock: rig.clock, logger, instance: "i", waiting: () => new Map() });
    counts.metered(silentMeter).count("messages_accepted_total", { channel: "web" });
    await rig.clock.advance(WRITE_MS);
    expect(await overview()).toMatchObject({ total: { messages: 0 } });
    isDown = false;
    await counts.stop();
    expect(await overview()).toMatchObject({ total: { messages: 1 } });
  });
});

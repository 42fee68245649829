import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EndedToolCall } from "../../../core/contract/ports/telemetry.ts";
import { RecentToolCalls, toolCallsOfHour } from "../../../gateway/telemetry/recent-tool-calls.ts";
import { AdminRig, acmeAdmin, as } from "./admin-rig.ts";

let rig: AdminRig;
let calls: RecentToolCalls;
const HOUR_MS = 3_600_000;

const startProcess = (instance: string): RecentToolCalls => {
  const started = new RecentToolCalls(rig.clock);
  started.start({ store: rig.deps.store, logger: rig.deps.logger, instance });
  return started;
};

beforeEach(async () => {
  rig = await AdminRig.open();
  calls = startProcess("one");
});
afterEach(async () => {
  await calls.stop();
  await rig.close();
});

const call = (id: string, more: Partial<EndedToolCall> = {}): EndedToolCall => ({
  ...{ id, tenant: "default", agent: "mooring", tool: "fetch_url", outcome: "done", durationMs: 120 },
  ...{ personId: "p-1", turnId: `t-${id}`, traceId: "m-1", ...more },
});
const list = async (query = "", headers?: Record<string, string>) =>
  (await rig.call("GET", `tool-calls${query}`, undefined, headers)).body;
const ids = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

describe("given tool calls of two processes", () => {
  it("when an operator lists them, then the newest is first, with outcome and duration, and without arguments (T3, R4)", async () => {
    const other = startProcess("two");
    calls.note(call("a"));
    rig.clock.advance(1_000);
    other.note(call("b", { outcome: "failed", server: "files" }));
    rig.clock.advance(HOUR_MS);
    calls.note(call("c", { outcome: "refused", durationMs: undefined }));
    await Promise.all([calls.stop(), other.stop()]);
    const all = await list();
    expect(ids(all)).toEqual(["c", "b", "a"]);
    const { durationMs: _, traceId: __, ...refused } = call("c", { outcome: "refused" });
    expect(all.items[0]).toEqual({ ...refused, endedAt: "2026-11-16T09:00:01.000Z", traceId: expect.any(String) });
    expect(all.items[1]).toMatchObject({ server: "files", durationMs: 120 });
    expect(ids(await list("?outcome=problems"))).toEqual(["c", "b"]);
  });

  it("when they are filtered, then only matching ones are listed, within the operator's tenant", async () => {
    calls.note(call("a", { personId: "p-2" }));
    calls.note(call("b", { tool: "remember" }));
    calls.note(call("c", { tenant: "acme", agent: "helper" }));
    await calls.stop();
    expect(ids(await list("?person=p-2"))).toEqual(["a"]);
    expect(ids(await list("?tool=remember"))).toEqual(["b"]);
    expect(ids(await list("?agent=helper"))).toEqual(["c"]);
    expect(ids(await list("", acmeAdmin))).toEqual(["c"]);
    expect((await rig.call("GET", "tool-calls?agent=mooring", undefined, acmeAdmin)).status).toBe(404);
    expect((await rig.call("GET", "tool-calls", undefined, as("wrong"))).status).toBe(401);
    expect((await rig.call("GET", "tool-calls?outcome=odd")).status).toBe(400);
  });

  it("when an operator pages while calls end, then each earlier call is listed once", async () => {
    for (let number = 0; number < 450; number++) calls.note(call(`n${number}`));
    await calls.stop();
    const seen: string[] = [];
    let after = "";
    do {
      const page = await list(`?limit=100${after}`);
      seen.push(...ids(page));
      after = page.next === undefined ? "" : `&after=${page.next}`;
      rig.clock.advance(1_000);
      const later = startProcess(`later${seen.length}`);
      later.note(call(`later${seen.length}`));
      await later.stop();
    } while (after !== "");
    expect(new Set(seen).size).toBe(450);
    expect(seen).toHaveLength(450);
  });
});

describe("given a process with very many calls", () => {
  it("when an hour has more than the limit, then further calls are not listed, but failures are", async () => {
    for (let number = 0; number < 2_500; number++) calls.note(call(`n${number}`));
    calls.note(call("bad", { outcome: "failed" }));
    await calls.stop();
    let stored = 0;
    for await (const { value } of rig.deps.store.list(toolCallsOfHour("2026-11-16T08:00:00.000Z")))
      stored += value.calls.length;
    expect(stored).toBe(2_001);
    expect(ids(await list("?outcome=problems"))).toEqual(["bad"]);
  });

  it("when a filter matches nothing, then one request reads a bounded number and continues on the next page", async () => {
    for (let hour = 0; hour < 3; hour++) {
      for (let number = 0; number < 1_500; number++) calls.note(call(`h${hour}n${number}`));
      rig.clock.advance(HOUR_MS);
    }
    await calls.stop();
    const first = await list("?tool=none");
    expect(first).toEqual({ items: [], next: expect.any(String) });
    const second = await list(`?tool=none&after=${first.next}`);
    expect(second.next).not.toBe(first.next);
    expect(await list(`?tool=none&after=${second.next}`)).toEqual({ items: [] });
  });

  it("when the store fails for a while, then the calls are stored afterwards", async () => {
    const { store } = rig.deps;
    const put = store.put.bind(store);
    Object.assign(store, { put: async () => Promise.reject(new Error("down")) });
    calls.note(call("a"));
    rig.clock.advance(10_000);
    await new Promise(setImmediate);
    Object.assign(store, { put });
    await calls.stop();
    expect(ids(await list())).toEqual(["a"]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Feedback, feedbackKey } from "../../../core/commands/feedback.ts";
import { dayOf, isoTime } from "../../../core/contract/ports/clock.ts";
import type { Prefix } from "../../../core/contract/ports/store.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import { newestFirst } from "../../../core/contract/ports/token.ts";
import { HourCounts } from "../../../gateway/telemetry/hour-counts.ts";
import { AdminRig, acmeAdmin, as } from "./admin-rig.ts";

let rig: AdminRig;
beforeEach(async () => {
  rig = await AdminRig.open();
});
afterEach(() => rig.close());

const DAY_MS = 24 * 3_600_000;
const author = { channel: "web", accountId: "ann", name: "Ann" };

/** A rating of an answer that is `daysAgo` old. */
const rate = async (name: string, daysAgo: number, more: Partial<Feedback> = {}): Promise<void> => {
  const at = rig.clock.now() - daysAgo * DAY_MS;
  const id = `${newestFirst(at)}-${name}`;
  const feedback = { id, tenant: "default", agent: "mooring", author, replyId: `t-${name}/final`, at: isoTime(at) };
  const stored: Feedback = { ...feedback, rating: "down", sessionId: "s-1", ...more };
  await rig.backbone.store.put(feedbackKey(dayOf(at), stored.tenant, id), stored);
};

const list = async (query = "", headers?: Record<string, string>) =>
  (await rig.call("GET", `feedback${query}`, undefined, headers)).body;
const names = ({ items }: { items: { replyId: string }[] }) => items.map(({ replyId }) => replyId);

describe("given ratings of answers in two tenants", () => {
  beforeEach(async () => {
    await rate("old", 60, { rating: "up" });
    await rate("new", 0, { comment: "too long" });
    await rate("back", 0, { withdrawn: true });
    await rate("acme", 1, { tenant: "acme", agent: "helper", author: { ...author, channel: "web-acme" } });
    await rate("middle", 3);
  });

  it("when they are listed, then the newest answer is first across tenants, without withdrawn ones or text (R4)", async () => {
    const all = await list();
    expect(names(all)).toEqual(["t-new/final", "t-acme/final", "t-middle/final", "t-old/final"]);
    expect(all.items[0]).toEqual({
      ...{ ref: expect.any(String), tenant: "default", agent: "mooring", author, replyId: "t-new/final" },
      ...{ sessionId: "s-1", rating: "down", comment: "too long", at: "2026-11-16T08:00:00.000Z" },
    });
    expect(all.next).toBeUndefined();
  });

  it.each([
    ["?rating=up", ["t-old/final"]],
    ["?rating=down&agent=mooring", ["t-new/final", "t-middle/final"]],
    ["?channel=web-acme", ["t-acme/final"]],
    ["?tenant=default", ["t-new/final", "t-middle/final", "t-old/final"]],
  ])("when the query is %s, then only matching ones are listed", async (query, expected) => {
    expect(names(await list(query))).toEqual(expected);
  });

  it("when an operator pages one by one, then each is listed once", async () => {
    const seen: string[] = [];
    let after = "";
    do {
      const page = await list(`?limit=1${after}`);
      seen.push(...names(page));
      after = page.next === undefined ? "" : `&after=${page.next}`;
    } while (after !== "");
    expect(seen).toEqual(["t-new/final", "t-acme/final", "t-middle/final", "t-old/final"]);
  });

  it("when an org admin lists, then they see their tenant only, and others do not exist for them", async () => {
    expect(names(await list("", acmeAdmin))).toEqual(["t-acme/final"]);
    for (const query of ["?tenant=default", "?agent=mooring", "?channel=web"])
      expect((await rig.call("GET", `feedback${query}`, undefined, acmeAdmin)).status).toBe(404);
    expect((await rig.call("GET", "feedback/counts?tenant=default", undefined, acmeAdmin)).status).toBe(404);
  });

  it("when the request is not valid, then it is refused", async () => {
    for (const query of ["?rating=sideways", "?after=nonsense"])
      expect((await rig.call("GET", `feedback${query}`)).status).toBe(400);
    for (const path of ["feedback", "feedback/counts"])
      expect((await rig.call("GET", path, undefined, as("wrong"))).status).toBe(401);
  });
});

describe("given very many ratings", () => {
  it("when one page is read, then older days are not read", async () => {
    for (let day = 0; day < 30; day++) await rate(`d${day}`, day);
    const { store } = rig.backbone;
    const listed: string[] = [];
    const list = store.list.bind(store);
    Object.assign(store, {
      list: <T>(prefix: Prefix<T>) => {
        listed.push(prefix.encoded);
        return list(prefix);
      },
    });
    const { body } = await rig.call("GET", "feedback?limit=2");
    expect([body.items.length, listed]).toEqual([2, ["2026-11-16", "2026-11-15", "2026-11-14"]]);
    listed.length = 0;
    await rig.call("GET", `feedback?limit=2&after=${body.next}`);
    expect(listed).toEqual(["2026-11-15", "2026-11-14", "2026-11-13", "2026-11-12"]);
  });
});

describe("given ratings that people gave and took back this week", () => {
  it("when an operator reads the counts, then they show what counts, by day, for their agents", async () => {
    const counts = new HourCounts(rig.clock);
    const meter = counts.metered(silentMeter);
    const { store, clock, logger } = rig.deps;
    counts.start({ store, clock, logger, instance: "one", waiting: () => new Map() });
    for (const rating of ["up", "up", "down"]) meter.count("feedback_total", { agent: "mooring", rating });
    meter.count("feedback_withdrawn_total", { agent: "mooring", rating: "down" });
    meter.count("feedback_total", { agent: "helper", rating: "down" });
    await counts.stop();
    const { body } = await rig.call("GET", "feedback/counts");
    expect([body.range, body.times.length, body.total]).toEqual(["week", 7, { up: 2, down: 1 }]);
    expect(body.times.at(-1)).toEqual({ at: "2026-11-16T00:00:00.000Z", up: 2, down: 1 });
    expect((await rig.call("GET", "feedback/counts?agent=mooring&range=day")).body.total).toEqual({ up: 2, down: 0 });
    expect((await rig.call("GET", "feedback/counts", undefined, acmeAdmin)).body.total).toEqual({ up: 0, down: 1 });
  });
});

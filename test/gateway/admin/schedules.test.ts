import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runKey } from "../../../core/schedules/runs/run-record.ts";
import { CONSOLE, scheduleKey } from "../../../core/schedules/schedule-record.ts";
import { AdminRig, acmeAdmin, as } from "./admin-rig.ts";

const BRIEF = {
  agent: "mooring",
  description: "Morning brief",
  prompt: "the news",
  when: "0 9 * * 1-5",
  timeZone: "Europe/Berlin",
  deliverTo: { channel: "web", room: "lobby" },
};

let rig: AdminRig;
beforeEach(async () => {
  rig = await AdminRig.open();
});
afterEach(() => rig.close());

describe("given operators and schedules", () => {
  it("when one is created, listed, run and cancelled, then each answer shows its state", async () => {
    const made = await rig.call("POST", "schedules", BRIEF);
    expect(made).toMatchObject({
      status: 201,
      body: {
        description: "Morning brief",
        when: "every weekday at 09:00 Europe/Berlin, next: Tue, 17 Nov 2026, 09:00",
        status: "active",
        madeIn: "console",
      },
    });
    expect(JSON.stringify(made.body)).not.toContain("the news");
    const { ref } = made.body;
    expect((await rig.call("GET", "schedules?agent=mooring")).body.items).toEqual([made.body]);
    expect((await rig.call("POST", `schedules/${ref}/run`)).status).toBe(200);
    expect((await rig.call("POST", `schedules/${ref}/cancel`)).body.status).toBe("cancelled");
  });

  it("when it has run, then its runs are listed the newest first, in pages", async () => {
    const { ref, id } = (await rig.call("POST", "schedules", BRIEF)).body;
    const { store } = rig.backbone;
    const address = { tenant: "default", agent: "mooring", owner: CONSOLE, id };
    const times = ["08:00", "08:30", "09:00"].map((time) => `2026-11-13T${time}:00.000Z`);
    for (const [index, at] of times.entries()) {
      // The name of a manual run does not contain its time.
      const name = index === 1 ? "a-wish" : at;
      const run = { name, dueAt: at, through: at, firedAt: at, state: "ended" as const, outcome: "answered" };
      await store.put(runKey(address, name), run);
    }
    const first = (await rig.call("GET", `schedules/${ref}/runs?limit=2`)).body;
    const rest = (await rig.call("GET", `schedules/${ref}/runs?limit=2&after=${first.next}`)).body;
    expect([...first.items, ...rest.items].map(({ dueAt }: { dueAt: string }) => dueAt)).toEqual(times.toReversed());
    expect(rest.next).toBeUndefined();
    expect((await rig.call("GET", `schedules/${ref}/runs?after=x`)).status).toBe(400);
  });

  it("when one is paused and resumed, then it says why, does not run meanwhile, and the audit log has both", async () => {
    const { ref, id } = (await rig.call("POST", "schedules", BRIEF)).body;
    const paused = await rig.call("POST", `schedules/${ref}/pause`);
    const why = { reason: "an operator paused it", at: "2026-11-16T08:00:00.000Z" };
    expect(paused.body).toMatchObject({
      ...{ status: "paused", nextDueAt: null, paused: why },
      when: "every weekday at 09:00 Europe/Berlin",
    });
    rig.clock.advance(1_000);
    expect((await rig.call("POST", `schedules/${ref}/pause`)).body.paused).toEqual(why);
    expect((await rig.call("GET", "schedules?status=active")).body.items).toEqual([]);
    expect((await rig.call("GET", "schedules?status=paused")).body.items).toMatchObject([{ ref }]);
    expect((await rig.call("POST", `schedules/${ref}/pause`, undefined, acmeAdmin)).status).toBe(404);
    const resumed = (await rig.call("POST", `schedules/${ref}/resume`)).body;
    expect(resumed).toMatchObject({ status: "active", nextDueAt: "2026-11-17T08:00:00.000Z" });
    expect(resumed.paused).toBeUndefined();
    await rig.call("POST", `schedules/${ref}/cancel`);
    expect((await rig.call("POST", `schedules/${ref}/pause`)).status).toBe(409);
    const audit = (await rig.call("GET", "audit")).body.items;
    expect(audit).toContainEqual(
      expect.objectContaining({
        action: "POST /admin/api/schedules/:ref/pause",
        tenant: "default",
        status: 200,
        detail: { agent: "mooring", schedule: id },
      }),
    );
  });

  it("when a person made one in a chat, then its owner, zone and last run are listed, and its prompt is not (R4)", async () => {
    const { id } = (await rig.call("POST", "schedules", BRIEF)).body;
    const { store } = rig.backbone;
    const stored = (await store.get(scheduleKey({ tenant: "default", agent: "mooring", owner: CONSOLE, id })))?.value;
    if (stored === undefined) throw new Error("the schedule is not stored");
    const firedAt = "2026-11-13T08:00:00.000Z";
    const own = {
      ...stored,
      owner: "web/ann/1",
      madeIn: "chat" as const,
      prompt: "a private prompt",
      lastRun: firedAt,
    };
    await store.put(scheduleKey(own), { ...own, asker: { ...own.asker, name: "Ann" } });
    const run = { name: firedAt, dueAt: firedAt, through: firedAt, firedAt };
    await store.put(runKey(own, firedAt), { ...run, state: "ended", outcome: "failed" });
    const { items } = (await rig.call("GET", "schedules")).body;
    const shown = items.find(({ madeIn }: { madeIn: string }) => madeIn === "chat");
    expect(shown).toMatchObject({
      owner: { channel: "web", accountId: "ann/1", name: "Ann" },
      timeZone: "Europe/Berlin",
      nextDueAt: "2026-11-17T08:00:00.000Z",
      lastRun: { firedAt, state: "ended", outcome: "failed" },
    });
    expect(JSON.stringify(items)).not.toContain("private prompt");
    expect(items.find(({ madeIn }: { madeIn: string }) => madeIn === "console").owner).toBeUndefined();
  });

  it("when there are many, then they are paged", async () => {
    for (const n of [1, 2, 3]) await rig.call("POST", "schedules", { ...BRIEF, description: `brief ${n}` });
    const first = (await rig.call("GET", "schedules?agent=mooring&limit=2")).body;
    const rest = (await rig.call("GET", `schedules?agent=mooring&limit=2&after=${first.next}`)).body;
    const all = [...first.items, ...rest.items].map(({ description }: { description: string }) => description);
    expect(all.sort()).toEqual(["brief 1", "brief 2", "brief 3"]);
    expect(rest.next).toBeUndefined();
  });

  it.each([
    ["no token", {}],
    ["a wrong one", as("platform-token-1235")],
    ["another scheme", { authorization: "Basic platform-kX9vQ2mT7wZ4" }],
  ])("when a request has %s, then it is rejected", async (_, headers) => {
    const { status, body } = await rig.call("GET", "schedules?agent=mooring", undefined, headers);
    expect([status, body.error.code]).toEqual([401, "unauthorised"]);
  });

  it("when an org admin asks for another tenant, then nothing is found (F27)", async () => {
    const made = await rig.call("POST", "schedules", BRIEF);
    expect((await rig.call("GET", "schedules?agent=mooring", undefined, acmeAdmin)).status).toBe(404);
    expect((await rig.call("POST", `schedules/${made.body.ref}/cancel`, undefined, acmeAdmin)).status).toBe(404);
    expect((await rig.call("GET", "schedules?agent=helper", undefined, acmeAdmin)).body).toEqual({ items: [] });
  });

  it.each([
    [{ ...BRIEF, when: "every 1 s" }, 400, "the shortest interval is one minute"],
    [{ ...BRIEF, deliverTo: undefined }, 400, "set deliverTo"],
    [{ ...BRIEF, agent: "nobody" }, 404, "no agent"],
    [{ ...BRIEF, prompt: "x".repeat(20_001) }, 400, "prompt"],
    [{ ...BRIEF, prompt: "x".repeat(1_000_000) }, 413, "too large"],
    [{ ...BRIEF, when: "2026-02-30T10:00" }, 400, "does not exist"],
    [{ ...BRIEF, timeZone: "Mars/Olympus" }, 400, "is not a time zone"],
    [{ ...BRIEF, colour: "red" }, 400, "colour"],
  ])("when a schedule cannot be created, then the error says why", async (given, status, why) => {
    const answer = await rig.call("POST", "schedules", given);
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toContain(why);
  });

  it("when a ref is not valid, then it is not found", async () => {
    for (const ref of ["x", "e30", Buffer.from('["mooring","web/ann","schedule-0"]').toString("base64url")]) {
      expect((await rig.call("POST", `schedules/${ref}/run`)).status).toBe(404);
    }
  });
});

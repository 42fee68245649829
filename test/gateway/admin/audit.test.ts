import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { allAudit } from "../../../gateway/admin/audit.ts";
import type { AuditEntry } from "../../../gateway/admin-api/index.ts";
import { AdminRig, acmeAdmin, platformAdmin } from "./admin-rig.ts";

let rig: AdminRig;
beforeEach(async () => {
  rig = await AdminRig.open();
});
afterEach(() => rig.close());

const brief = (agent: string, channel: string) => ({
  agent,
  description: "Morning brief",
  prompt: "what was said in private",
  when: "0 9 * * *",
  deliverTo: { channel, room: "lobby" },
});
/** An entry is completed after the response is sent. */
const audit = async (count: number, headers = platformAdmin): Promise<AuditEntry[]> => {
  for (;;) {
    const { items } = (await rig.call("GET", "audit", undefined, headers)).body;
    if (items.filter(({ status }: AuditEntry) => status !== undefined).length >= count) return items;
    await new Promise(setImmediate);
  }
};

describe("given changes by operators", () => {
  it("when the audit log is read, then it lists each change, the newest first, without message text", async () => {
    const { ref } = (await rig.call("POST", "schedules", brief("mooring", "web"))).body;
    rig.clock.advance(1_000);
    await rig.call("POST", `schedules/${ref}/cancel`);
    rig.clock.advance(1_000);
    await rig.call("POST", "schedules", { ...brief("mooring", "web"), when: "never" });
    const log = await audit(3);
    expect(log).toMatchObject([
      { action: "POST /admin/api/schedules", status: 400, tenant: "default" },
      { action: "POST /admin/api/schedules/:ref/cancel", target: { ref }, status: 200, at: "2026-11-16T08:00:01.000Z" },
      { action: "POST /admin/api/schedules", status: 201, operator: { role: "platform_admin" } },
    ]);
    expect(log[0]?.operator.token).toMatch(/^[0-9a-f]{8}$/);
    expect(JSON.stringify(log)).not.toMatch(/platform-token|what was said/);
  });

  it("when every changing route is called, then each attempt is in the log, successful or not", async () => {
    for (const route of rig.changing) {
      const [method, url = ""] = route.split(" ");
      await rig.call(method as "POST" | "PATCH", url.replace("/admin/api/", "").replaceAll(/:\w+/g, "x"), {});
    }
    const tried = (await audit(rig.changing.length)).map(({ action }) => action);
    expect(tried.sort()).toEqual([...rig.changing].sort());
    expect(tried.length).toBeGreaterThan(10);
  });

  it("when an org admin reads it, then it lists the changes in their tenant, by any operator", async () => {
    await rig.call("POST", "schedules", brief("mooring", "web"));
    await rig.call("POST", "schedules", brief("helper", "web-acme"));
    await rig.call("POST", "schedules", brief("helper", "web-acme"), acmeAdmin);
    await rig.call("POST", "schedules", brief("mooring", "web"), acmeAdmin);
    await audit(4);
    const seen = (await audit(3, acmeAdmin)).map(({ operator, status }) => [operator.role, status]);
    expect(seen.sort()).toEqual([
      ["org_admin", 201],
      ["org_admin", 404],
      ["platform_admin", 201],
    ]);
  });

  it("when a change is requested, then its entry is stored first; if that fails, nothing changes", async () => {
    const { store } = rig.deps;
    const put = store.put.bind(store);
    store.put = async (key, value, options) => {
      if (key.collection.name === "audit") throw new Error("as if the disk were full");
      return put(key, value, options);
    };
    expect((await rig.call("POST", "schedules", brief("mooring", "web"))).status).toBe(500);
    store.put = put;
    expect((await rig.call("GET", "schedules")).body).toEqual({ items: [] });
  });

  it("when there are many entries, then they are paged", async () => {
    for (let n = 0; n < 5; n++) {
      await rig.call("POST", "schedules", brief("mooring", "web"));
      rig.clock.advance(10);
    }
    await audit(5);
    const seen: string[] = [];
    for (let after = ""; ; ) {
      const { items, next } = (await rig.call("GET", `audit?limit=2${after}`)).body;
      seen.push(...items.map(({ id }: AuditEntry) => id));
      if (next === undefined) break;
      after = `&after=${next}`;
    }
    const stored: string[] = [];
    for await (const { value } of rig.backbone.store.list(allAudit())) stored.push(value.id);
    expect(seen).toEqual(stored);
  });

  it.each(["after=nonsense", "after=WyJ4IiwieSJd", "limit=0", "limit=201"])(
    "when a page is requested with %s, then the error names the parameter",
    async (query) => {
      const { status, body } = await rig.call("GET", `audit?${query}`);
      expect([status, body.error.code]).toEqual([400, "bad-input"]);
    },
  );
});

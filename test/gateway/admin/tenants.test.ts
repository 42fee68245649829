import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TenantSettings } from "../../../core/a2a/tenant-settings.ts";
import { AdminRig, acmeAdmin, platformAdmin } from "./admin-rig.ts";

let rig: AdminRig;
beforeEach(async () => {
  rig = await AdminRig.open();
});
afterEach(() => rig.close());

const ON = { a2aAsync: true, confirm: true };

describe("given the setting that lets agents message each other without waiting (A2)", () => {
  it("when it is turned on without a confirmation, then the consequences are listed and nothing changes", async () => {
    const { status, body } = await rig.call("PATCH", "tenants/default", { a2aAsync: true });
    expect(status).toBe(409);
    expect(body.error.message).toContain("confirm: true");
    expect(body.expect).toEqual([
      expect.stringContaining("first get an announcement, and the result later"),
      expect.stringContaining("Model usage increases"),
      expect.stringContaining("minutes or hours later"),
      expect.stringContaining("up to three hops between two agents"),
      expect.stringContaining("Turning it off takes effect at once"),
    ]);
    expect((await rig.call("GET", "tenants/default")).body).toEqual({ id: "default", a2aAsync: false });
  });

  it("when it is confirmed, then it is on at once, and turning it off needs no confirmation", async () => {
    const settings = new TenantSettings({ store: rig.backbone.store, clock: rig.clock });
    expect((await rig.call("PATCH", "tenants/default", ON)).body).toEqual({ id: "default", a2aAsync: true });
    expect(await settings.isAsync("default")).toBe(true);
    expect((await rig.call("PATCH", "tenants/default", { a2aAsync: false })).status).toBe(200);
    expect(await settings.isAsync("default")).toBe(false);
  });

  it("when an org admin changes it, then it changes only in their own tenant", async () => {
    expect((await rig.call("PATCH", "tenants/acme", ON, acmeAdmin)).status).toBe(200);
    expect((await rig.call("PATCH", "tenants/default", ON, acmeAdmin)).status).toBe(404);
    expect((await rig.call("GET", "tenants", undefined, acmeAdmin)).body.items).toEqual([
      { id: "acme", a2aAsync: true },
    ]);
    expect((await rig.call("GET", "tenants", undefined, platformAdmin)).body.items).toHaveLength(2);
  });

  it.each([
    ["nobody known", ON, {}, 401],
    ["a wrong type", { a2aAsync: "yes" }, platformAdmin, 400],
    ["another key", { a2aAsync: false, more: 1 }, platformAdmin, 400],
  ])("when the request has %s, then it is rejected", async (_, body, headers, status) => {
    expect((await rig.call("PATCH", "tenants/default", body, headers)).status).toBe(status);
  });

  it("when the tenant does not exist, then it is not found", async () => {
    expect((await rig.call("PATCH", "tenants/nowhere", ON)).status).toBe(404);
  });
});

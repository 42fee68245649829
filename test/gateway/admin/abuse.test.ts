import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reportKey } from "../../../core/commands/report.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";

let rig: AdminRig;
beforeEach(async () => {
  rig = await AdminRig.open();
});
afterEach(() => rig.close());

const ann = { channel: "web", accountId: "ann" };
const blocks = async (headers?: Record<string, string>) =>
  (await rig.call("GET", "blocks", undefined, headers)).body.items;

describe("given an operator and an account that is abused", () => {
  it("when it is blocked and unblocked, then the list and the audit log show it, within the tenant", async () => {
    const { status, body } = await rig.call("POST", "blocks", { ...ann, reason: "spam" });
    expect([status, body]).toMatchObject([200, { ...ann, tenant: "default", reason: "spam" }]);
    expect((await rig.call("POST", "blocks", { ...ann, reason: "again" })).body.reason).toBe("spam");
    expect(await blocks()).toMatchObject([ann]);
    expect(await blocks(acmeAdmin)).toEqual([]);
    expect((await rig.call("POST", `blocks/${body.ref}/unblock`, undefined, acmeAdmin)).status).toBe(404);
    expect((await rig.call("POST", `blocks/${body.ref}/unblock`)).body).toEqual({ done: true });
    expect((await rig.call("POST", `blocks/${body.ref}/unblock`)).status).toBe(409);
    expect(await blocks()).toEqual([]);
    const audit = (await rig.call("GET", "audit")).body.items;
    expect(audit).toContainEqual(
      expect.objectContaining({ action: "POST /admin/api/blocks", detail: ann, status: 200 }),
    );
  });

  it.each([
    [{}, 400],
    [{ channel: "web" }, 400],
    [{ ...ann, reason: "x".repeat(501) }, 400],
    [{ ...ann, more: 1 }, 400],
    [{ ...ann, channel: "unknown" }, 404],
  ])("when the request is %j, then the answer is %i", async (body, status) => {
    expect((await rig.call("POST", "blocks", body)).status).toBe(status);
    expect(await blocks()).toEqual([]);
  });

  it("when an org admin names a channel of another tenant, then the channel does not exist for them", async () => {
    expect((await rig.call("POST", "blocks", ann, acmeAdmin)).status).toBe(404);
  });
});

describe("given a report of a person", () => {
  const report = {
    id: "r1",
    tenant: "default",
    agent: "mooring",
    reporter: { channel: "web", accountId: "ann", name: "Ann", personId: "p-1" },
    replyId: "t-1/final",
    sessionId: "s-1",
    at: "2026-01-01T00:00:00.000Z",
  };

  it("when it is listed, then it has who, message and time, without text or session, and can be dismissed once (R4)", async () => {
    await rig.backbone.store.put(reportKey("default", "r1"), report);
    const { items } = (await rig.call("GET", "reports")).body;
    const { id: _, sessionId: __, ...shown } = report;
    const reporter = { channel: "web", accountId: "ann", name: "Ann" };
    expect(items).toEqual([{ ...shown, reporter, ref: expect.any(String) }]);
    expect((await rig.call("GET", "reports", undefined, acmeAdmin)).body.items).toEqual([]);
    const path = `reports/${items[0].ref}/dismiss`;
    expect((await rig.call("POST", path, undefined, acmeAdmin)).status).toBe(404);
    expect((await rig.call("POST", path)).body).toEqual({ done: true });
    expect((await rig.call("POST", path)).status).toBe(409);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deadLetterKey } from "../../../core/contract/ports/bus.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";

const SINCE = "2026-11-16T07:00:00.000Z";

let rig: AdminRig;
beforeEach(async () => {
  rig = await AdminRig.open();
  for (const id of ["m1", "m2", "m3"]) {
    await rig.backbone.store.put(deadLetterKey("intake", id), {
      subject: "default.user.message.mooring",
      durable: "intake",
      id,
      message: { text: "private words" },
      reason: "it broke",
      attempts: 5,
      publishedAt: SINCE,
      deadAt: SINCE,
    });
  }
});
afterEach(() => rig.close());

const listed = async (): Promise<{ ref: string; id: string }[]> =>
  (await rig.call("GET", "dead-letters?kind=message")).body.items;
const settle = (body: object, headers?: Record<string, string>) =>
  rig.call("POST", "dead-letters/settle", body, headers);

describe("given several dead letters", () => {
  it("when an operator dismisses some of them at once, then those are gone, and the audit log has the numbers (D6)", async () => {
    const [one, two, three] = await listed();
    const refs = [one?.ref, two?.ref, two?.ref];
    expect((await settle({ action: "dismiss", refs })).body).toEqual({ done: 2, failed: [] });
    expect(await listed()).toEqual([three]);
    const audit = async () => (await rig.call("GET", "audit")).body.items[0];
    await expect.poll(audit).toMatchObject({
      action: "POST /admin/api/dead-letters/settle",
      status: 200,
      detail: { action: "dismiss", done: 2, failed: 0 },
    });
  });

  it("when some were settled before or cannot be retried, then the others are done and each failure has its reason", async () => {
    const [one, two] = await listed();
    await settle({ action: "dismiss", refs: [one?.ref] });
    const { body } = await settle({ action: "dismiss", refs: [one?.ref, two?.ref, "no-ref"] });
    expect(body.done).toBe(1);
    expect(body.failed).toMatchObject([
      { ref: one?.ref, code: "conflict" },
      { ref: "no-ref", code: "not-found" },
    ]);
    const retried = await settle({ action: "retry", refs: (await listed()).map(({ ref }) => ref) });
    expect(retried.body).toMatchObject({ done: 0, failed: [{ message: expect.stringContaining("only deliveries") }] });
  });

  it("when an org admin tries, then letters of the platform stay", async () => {
    const refs = (await listed()).map(({ ref }) => ref);
    const { body } = await settle({ action: "dismiss", refs }, acmeAdmin);
    expect(body).toMatchObject({ done: 0, failed: refs.map(() => ({ code: "forbidden" })) });
    expect(await listed()).toHaveLength(3);
  });

  it.each([
    {},
    { action: "dismiss", refs: [] },
    { action: "burn", refs: ["a"] },
    { action: "dismiss", refs: Array(201).fill("a") },
  ])("when the request is wrong, then it is refused (case %#)", async (body) => {
    expect((await settle(body)).status).toBe(400);
  });
});

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminRig, acmeAdmin, as, platformAdmin } from "../gateway/admin/admin-rig.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutated } from "./mutated.ts";

let rig: AdminRig;
beforeAll(async () => {
  rig = await AdminRig.open();
});
afterAll(() => rig.close());

const READS = [
  ...["me", "channels", "channels/{}", "replies/{}/deliveries", "sessions", "sessions/{}/turns", "subtasks"],
  ...["schedules", "schedules/{}/runs", "dead-letters", "people", "traces/{}", "audit", "tenants", "tenants/{}"],
];
const WRITES = [
  ...["channels/{}/pause", "channels/{}/resume", "channels/{}/test", "subtasks/{}/cancel", "schedules"],
  ...["schedules/{}/run", "schedules/{}/cancel", "schedules/{}/resume", "dead-letters/{}/retry"],
  ...["dead-letters/{}/dismiss", "people/{}/unlink"],
];
const BODIES = [
  {
    agent: "mooring",
    name: "Report",
    prompt: "Report.",
    cron: "0 9 * * *",
    timeZone: "UTC",
    deliverTo: { channel: "web", room: "r" },
  },
  { agent: "mooring", name: "Once", prompt: "Report.", at: "2027-01-01T00:00:00Z", missed: "skip" },
  { channel: "slack", accountId: "U1" },
  { a2aAsync: true, confirm: true },
];

const value = fc.oneof(
  fc.constantFrom("web", "default", "mooring", "__proto__", "%00", "..", "a".repeat(900), "YQ.Yg.Yw", "=YQ"),
  fc.string({ maxLength: 30 }),
);
const encoded = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, ""));
const pathOf = (paths: readonly string[]) =>
  fc.tuple(fc.constantFrom(...paths), value).map(([path, id]) => path.replace("{}", encoded(id)));
const query = fc.dictionary(fc.constantFrom("agent", "tenant", "after", "limit", "kind", "status", "channel"), value);
const asQuery = (values: Readonly<Record<string, string>>) => {
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${encoded(value)}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
};
const operator = fc.constantFrom(platformAdmin, acmeAdmin);

describe("given malformed calls to the admin API (F19)", () => {
  it("when they read, then each is answered or refused, without a server error", async () => {
    const harm = watchHarm();
    await fc.assert(
      fc.asyncProperty(pathOf(READS), query, operator, async (path, values, who) => {
        const { status, body } = await rig.call("GET", `${path}${asQuery(values)}`, undefined, who);
        expect(status, JSON.stringify(body)).toBeLessThan(500);
      }),
      fuzzRuns(300),
    );
    harm.expectNone();
  });

  it("when they write, then each is executed or refused, without a server error", async () => {
    const harm = watchHarm();
    const bodies = mutated(BODIES).filter((body) => typeof body === "object" && body !== null) as fc.Arbitrary<object>;
    await fc.assert(
      fc.asyncProperty(pathOf(WRITES), bodies, operator, async (path, payload, who) => {
        const { status, body } = await rig.call("POST", path, payload, who);
        expect(status, JSON.stringify(body)).toBeLessThan(500);
      }),
      fuzzRuns(120),
    );
    await fc.assert(
      fc.asyncProperty(pathOf(["tenants/{}"]), bodies, operator, async (path, payload, who) => {
        const { status, body } = await rig.call("PATCH", path, payload, who);
        expect(status, JSON.stringify(body)).toBeLessThan(500);
      }),
      fuzzRuns(50),
    );
    harm.expectNone();
    expect((await rig.call("GET", "me")).status).toBe(200);
  });

  it("when the token is unknown, then the call is refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[\x20-\x7e]{0,80}$/), pathOf(READS), async (token, path) => {
        // ".." leads out of the API, to a missing page.
        expect([401, 404]).toContain((await rig.call("GET", path, undefined, as(token))).status);
      }),
      fuzzRuns(50),
    );
  });
});

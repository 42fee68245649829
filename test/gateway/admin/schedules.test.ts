import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FastifyInstance, fastify } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../../config/parse-config.ts";
import { openEmbeddedBackbone } from "../../../core/backbone/embedded/open-embedded-backbone.ts";
import type { Backbone } from "../../../core/contract/backbone.ts";
import { noCheckpoint } from "../../../core/contract/checkpoint.ts";
import { silentLogger as logger } from "../../../core/contract/logger.ts";
import { silentMeter as meter } from "../../../core/contract/meter.ts";
import { DueIndex } from "../../../core/schedules/due-index.ts";
import { adminScope } from "../../../gateway/admin/admin-scope.ts";
import { operatorCheck } from "../../../gateway/admin/operator.ts";
import { scheduleRoutes } from "../../../gateway/admin/schedule-routes.ts";
import { toHttpError } from "../../../gateway/http-error.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

const CONFIG = `
admin: { tokens: [{ token: platform-token-1234, role: platform_admin }, { token: acme-admin-token-1, role: org_admin, tenant: acme }] }
tenants: { default: {}, acme: {} }
agents: [{ name: mooring, model: demo }, { name: helper, tenant: acme, model: demo }]
channels: { web: { adapter: web, agent: mooring } }
`;
const BRIEF = {
  agent: "mooring",
  description: "Morning brief",
  prompt: "the news",
  when: "0 9 * * 1-5",
  timeZone: "Europe/Berlin",
  deliverTo: { channel: "web", room: "lobby" },
};

let dataDir: string;
let backbone: Backbone;
let app: FastifyInstance;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mooring-admin-"));
  backbone = await openEmbeddedBackbone({ dataDir, logger });
  app = fastify();
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = toHttpError(error);
    return reply.code(status).send(body);
  });
  const config = parseConfig({ file: "test.yaml", text: CONFIG, env: {} });
  const clock = new ManualClock(Date.parse("2026-11-16T08:00:00Z"));
  const parts = { ...backbone, clock, logger, meter, checkpoint: noCheckpoint, dueTimes: new DueIndex(backbone) };
  const check = operatorCheck(config.admin.tokens, undefined);
  await adminScope(app, check, (scope) => scheduleRoutes(scope, { ...parts, config }));
});
afterEach(async () => {
  await app.close();
  await backbone.close();
  await rm(dataDir, { recursive: true, force: true });
});

const as = (token: string) => ({ authorization: `Bearer ${token}` });
const platform = as("platform-token-1234");
const call = async (
  method: "GET" | "POST",
  url: string,
  payload?: object,
  headers: Record<string, string> = platform,
) => {
  const { statusCode, body } = await app.inject({ method, url, headers, ...(payload && { payload }) });
  return { status: statusCode, body: JSON.parse(body) };
};

describe("given operators and schedules", () => {
  it("when one is made, seen, run, cancelled, then each says what is", async () => {
    const made = await call("POST", "/admin/api/schedules", BRIEF);
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
    expect((await call("GET", "/admin/api/schedules?agent=mooring")).body.schedules).toEqual([made.body]);
    expect((await call("POST", `/admin/api/schedules/${ref}/run`)).status).toBe(200);
    expect((await call("POST", `/admin/api/schedules/${ref}/cancel`)).body.status).toBe("cancelled");
  });

  it("when there are many, then they come in pages", async () => {
    for (const n of [1, 2, 3]) await call("POST", "/admin/api/schedules", { ...BRIEF, description: `brief ${n}` });
    const first = (await call("GET", "/admin/api/schedules?agent=mooring&limit=2")).body;
    const rest = (await call("GET", `/admin/api/schedules?agent=mooring&limit=2&after=${first.next}`)).body;
    const all = [...first.schedules, ...rest.schedules].map(({ description }) => description);
    expect(all.sort()).toEqual(["brief 1", "brief 2", "brief 3"]);
    expect(rest.next).toBeUndefined();
  });

  it.each([
    ["no token", {}],
    ["a wrong one", as("platform-token-1235")],
    ["another scheme", { authorization: "Basic platform-token-1234" }],
  ])("when somebody comes with %s, then they are refused", async (_, headers) => {
    const { status, body } = await call("GET", "/admin/api/schedules?agent=mooring", undefined, headers);
    expect([status, body.error.code]).toEqual([401, "unauthorised"]);
  });

  it("when an org admin looks beyond their tenant, then nothing is there", async () => {
    const made = await call("POST", "/admin/api/schedules", BRIEF);
    const org = as("acme-admin-token-1");
    expect((await call("GET", "/admin/api/schedules?agent=mooring", undefined, org)).status).toBe(404);
    expect((await call("POST", `/admin/api/schedules/${made.body.ref}/cancel`, undefined, org)).status).toBe(404);
    expect((await call("GET", "/admin/api/schedules?agent=helper", undefined, org)).body).toEqual({ schedules: [] });
  });

  it.each([
    [{ ...BRIEF, when: "every 1 s" }, 400, "once a minute is the most"],
    [{ ...BRIEF, deliverTo: undefined }, 400, "set deliverTo"],
    [{ ...BRIEF, agent: "nobody" }, 404, "no agent"],
    [{ ...BRIEF, prompt: "x".repeat(20_001) }, 400, "prompt"],
    [{ ...BRIEF, prompt: "x".repeat(1_000_000) }, 413, "too large"],
    [{ ...BRIEF, when: "2026-02-30T10:00" }, 400, "does not exist"],
    [{ ...BRIEF, timeZone: "Mars/Olympus" }, 400, "is no time zone"],
    [{ ...BRIEF, colour: "red" }, 400, "colour"],
  ])("when what is to be made cannot be, then the answer says why", async (given, status, why) => {
    const answer = await call("POST", "/admin/api/schedules", given);
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toContain(why);
  });

  it("when a reference means nothing, then it is not found", async () => {
    for (const ref of ["x", "e30", Buffer.from('["mooring","web/ann","schedule-0"]').toString("base64url")]) {
      expect((await call("POST", `/admin/api/schedules/${ref}/run`)).status).toBe(404);
    }
  });
});

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { OtlpReceiver } from "../../fakes/otlp/otlp-receiver.ts";
import { proves } from "./proves.ts";
import { ADMIN_TOKEN, newSecret, type RunningProduct, SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
/** Two deployments that differ in all operator settings. */
let loud: RunningProduct;
let silent: RunningProduct;
let collector: OtlpReceiver;
let idle: OtlpReceiver;
const [ORG_TOKEN, METRICS_TOKEN] = [newSecret(), newSecret()];

beforeAll(async () => {
  [collector, idle] = [await OtlpReceiver.start(), await OtlpReceiver.start()].map((each) => rig.owns(each)) as [
    OtlpReceiver,
    OtlpReceiver,
  ];
  const otlp = { url: collector.url, headers: { "x-harbour": "bergen" } };
  loud = await rig.start({
    logLevel: "debug",
    metrics: { token: METRICS_TOKEN },
    dataDir: "./elsewhere",
    telemetry: { otlp, serviceName: "harbour" },
    tenants: { default: {}, acme: {} },
    admin: {
      tokens: [
        { token: ADMIN_TOKEN, role: "platform_admin" },
        { token: ORG_TOKEN, role: "org_admin", tenant: "acme" },
      ],
    },
    agents: [
      { name: "mooring", model: "demo" },
      { name: "clerk", tenant: "acme", model: "demo" },
    ],
    channels: { web: { adapter: "web", agent: "mooring" }, acme: { adapter: "web", agent: "clerk" } },
  });
  silent = await rig.start({
    logLevel: "silent",
    metrics: { public: true },
    telemetry: { otlp: { url: idle.url }, sampleRatio: 0 },
  });
});

const chat = async (product: RunningProduct) => {
  const visitor = product.client("visitor");
  await visitor.answerTo(visitor.say("hello"));
};

describe("given deployments with different operator settings", () => {
  proves(
    ["admin.tokens[].token", "admin.tokens[].role", "admin.tokens[].tenant"],
    "when operators sign in, then each has the role and tenant of their token, and sees only their resources",
    async () => {
      const me = async (product: RunningProduct, token: string) => {
        const headers = { authorization: `Bearer ${token}` };
        const response = await fetch(`${product.address}/admin/api/me`, { headers });
        return { status: response.status, body: (await response.json()) as unknown };
      };
      expect((await me(loud, ADMIN_TOKEN)).body).toMatchObject({
        role: "platform_admin",
        tenants: ["default", "acme"],
      });
      const agents = [{ name: "clerk", tenant: "acme" }];
      expect((await me(loud, ORG_TOKEN)).body).toMatchObject({ role: "org_admin", tenants: ["acme"], agents });
      expect((await me(silent, ORG_TOKEN)).status).toBe(401);
    },
  );

  proves(
    ["metrics.token", "metrics.public"],
    "when another machine reads metrics, then it needs the token, unless they are public",
    async () => {
      const status = async (product: RunningProduct, more: Readonly<Record<string, string>> = {}) => {
        const headers = { "x-forwarded-for": "203.0.113.7", ...more };
        return (await fetch(`${product.address}/metrics`, { headers })).status;
      };
      expect(await status(loud)).toBe(401);
      expect(await status(loud, { authorization: `Bearer ${METRICS_TOKEN}` })).toBe(200);
      expect(await status(silent)).toBe(200);
    },
  );

  proves(["dataDir"], "when they have run, then the data of each is in its own folder", async () => {
    expect(await readdir(join(loud.folder, "elsewhere"))).not.toEqual([]);
    expect(await readdir(silent.folder)).toContain("data");
    expect(await readdir(loud.folder)).not.toContain("data");
  });

  proves(
    ["telemetry.otlp.url", "telemetry.otlp.headers", "telemetry.serviceName", "telemetry.sampleRatio", "logLevel"],
    "when people chat, then each logs and traces as configured, under its service name",
    async () => {
      await Promise.all([chat(loud), chat(silent)]);
      const [span] = await collector.spans.count(1);
      expect(span?.resource).toMatchObject({ "service.name": "harbour" });
      expect(collector.requests.items[0]).toMatchObject({ "x-harbour": "bergen" });
      await Promise.all([loud.end(), silent.end()]);
      expect(idle.spans.items).toEqual([]);
      expect(loud.process.stderr()).toMatch(/"level":"debug"/);
      expect(silent.process.stderr()).toBe("");
    },
  );
});

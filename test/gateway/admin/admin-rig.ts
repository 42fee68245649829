import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FastifyInstance, fastify } from "fastify";
import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import { parseConfig } from "../../../config/parse-config.ts";
import { openEmbeddedBackbone } from "../../../core/backbone/embedded/open-embedded-backbone.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { silentMeter as meter, noCheckpoint } from "../../../core/contract/ports/telemetry.ts";
import { DueIndex } from "../../../core/schedules/due-index.ts";
import type { AdminDeps } from "../../../gateway/admin/admin-request.ts";
import { adminRoutes } from "../../../gateway/admin/admin-routes.ts";
import { adminScope } from "../../../gateway/admin/admin-scope.ts";
import { operatorCheck } from "../../../gateway/admin/operator.ts";
import { toHttpError } from "../../../gateway/http/error-responses.ts";
import { SignInGuard } from "../../../gateway/http/sign-in-guard.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

const configWith = (agent: object) => `
admin: { tokens: [{ token: platform-kX9vQ2mT7wZ4, role: platform_admin }, { token: acme-admin-hB5nY8rC3dL6, role: org_admin, tenant: acme }] }
tenants: { default: {}, acme: {} }
agents: [${JSON.stringify({ name: "mooring", model: "demo", ...agent })}, { name: helper, tenant: acme, model: demo }]
channels: { web: { adapter: web, agent: mooring }, web-acme: { adapter: web, agent: helper } }
`;

export const as = (token: string) => ({ authorization: `Bearer ${token}` });
export const platformAdmin = as("platform-kX9vQ2mT7wZ4");
export const acmeAdmin = as("acme-admin-hB5nY8rC3dL6");

/** The admin routes on their own backbone, with an agent in each of two tenants. */
export class AdminRig {
  readonly backbone: Backbone;
  readonly clock: ManualClock;
  readonly deps: AdminDeps;
  /** The adapters of this gateway: none, unless a test adds some. */
  readonly adapters: ChannelAdapter[];
  /** Every changing route, as "POST /admin/api/…". */
  readonly changing: readonly string[];
  readonly #app: FastifyInstance;
  readonly #dataDir: string;

  private constructor(
    backbone: Backbone,
    clock: ManualClock,
    deps: AdminDeps,
    app: FastifyInstance,
    dataDir: string,
    adapters: ChannelAdapter[],
    changing: readonly string[],
  ) {
    this.adapters = adapters;
    this.changing = changing;
    this.backbone = backbone;
    this.clock = clock;
    this.deps = deps;
    this.#app = app;
    this.#dataDir = dataDir;
  }

  /** Without a clock, time advances only when a test moves it. `agent`: settings of the first agent. */
  static async open(given?: Clock, agent: object = {}, more: Partial<AdminDeps> = {}): Promise<AdminRig> {
    const dataDir = await mkdtemp(join(tmpdir(), "mooring-admin-"));
    const manual = new ManualClock(Date.parse("2026-11-16T08:00:00Z"));
    const clock = given ?? manual;
    const backbone = await openEmbeddedBackbone({ dataDir, logger, clock });
    const app = fastify({ routerOptions: { maxParamLength: 1_000 } });
    const changing: string[] = [];
    app.addHook("onRoute", ({ method, url }) => {
      for (const each of [method].flat()) if (each !== "GET" && each !== "HEAD") changing.push(`${each} ${url}`);
    });
    app.setErrorHandler((error, _request, reply) => {
      const { status, body } = toHttpError(error);
      return reply.code(status).send(body);
    });
    const config = parseConfig({ file: "test.yaml", text: configWith(agent), env: {} });
    const { bus, store } = backbone;
    const adapters: ChannelAdapter[] = [];
    const dueTimes = new DueIndex(backbone);
    const publicUrl = "http://localhost:8080";
    const deps = {
      bus,
      store,
      clock,
      publicUrl,
      logger,
      meter,
      checkpoint: noCheckpoint,
      dueTimes,
      config,
      adapters,
      instance: "one",
      ...more,
    };
    const check = operatorCheck(config.admin.tokens, undefined);
    const signIns = new SignInGuard(deps);
    await adminScope(app, { ...deps, check, signIns }, (scope) => adminRoutes(scope, deps));
    return new AdminRig(backbone, manual, deps, app, dataDir, adapters, changing);
  }

  async call(
    method: "GET" | "POST" | "PATCH",
    path: string,
    payload?: object,
    headers: Record<string, string> = platformAdmin,
  ): Promise<{ status: number; body: ReturnType<typeof JSON.parse> }> {
    const url = `/admin/api/${path}`;
    const { statusCode, body } = await this.#app.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: statusCode, body: JSON.parse(body) };
  }

  async close(): Promise<void> {
    await this.#app.close();
    await this.backbone.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}

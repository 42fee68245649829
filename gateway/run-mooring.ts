import type { ConfigFile } from "../config/file/index.ts";
import type { Config } from "../config/index.ts";
import { openBackbone } from "../core/backbone/index.ts";
import { AppError } from "../core/contract/app-error.ts";
import { subjectsOf } from "../core/contract/messages/subjects.ts";
import type { QueueDepth, RequiredReader } from "../core/contract/ports/backbone.ts";
import type { Clock } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";
import { INTAKE_DURABLE } from "../core/intake/index.ts";
import { type OperatorCheck, operatorCheck } from "./admin/index.ts";
import { ensureAdminToken } from "./admin-token.ts";
import { whenHealthy } from "./backbone-health.ts";
import type { Readiness } from "./http/index.ts";
import { createReadiness, createServer, metricsGate, openHttpListener, SignInGuard } from "./http/index.ts";
import { createOwnerLink, loadOwnerSecret } from "./owner/index.ts";
import { publicUrl } from "./public-url.ts";
import { derived, LiveConfig, Reloader, type ReloadReport } from "./reload/index.ts";
import { RunningAgents } from "./start-agents.ts";
import { type RunningChannels, startChannels } from "./start-channels.ts";
import { createStopping } from "./stopping.ts";
import { createMetrics, HourCounts, type LogTail, RecentToolCalls, startTelemetry } from "./telemetry/index.ts";

/** A part of the product that a process can run. */
export type Role = "gateway" | "core";

interface RunOptions {
  readonly config: Config;
  readonly roles: readonly Role[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: () => string;
  /** The log lines that operators may follow; absent: none. */
  readonly logTail?: LogTail;
  /** Aborts a start that is waiting for the backbone. */
  readonly abortStart: AbortSignal;
  /** The file of the configuration, for operators; absent: they do not change settings. */
  readonly configFile?: ConfigFile;
  /** Reads the configuration again; absent: it cannot be reloaded. */
  readonly readConfig?: () => Promise<Config>;
  readonly setLogLevel?: (level: Config["logLevel"]) => void;
  /** Called if a reload has stopped a part that cannot be started again: the process must exit. */
  readonly onPartLost?: (error: Error) => void;
}

export interface Running {
  /** The public address; absent without the gateway. */
  readonly url?: string;
  /** Present if this process runs only the core and has a port. */
  readonly healthUrl?: string;
  /** Absent if operators' tokens are configured, and without the gateway. */
  readonly adminTokenFile?: string;
  /** In personal mode: makes the browser that opens it first the owner's. */
  readonly ownerLink?: string;
  /** Applies the configuration as it is now. Rejects without any change if it is invalid. */
  reload(): Promise<ReloadReport>;
  /**
   * Stops intake, then work in progress, then the backbone, in bounded time. With `drain`, a gateway on NATS first
   * serves for `gateway.drainMs` while it reports not ready, so that load balancers send requests elsewhere.
   */
  stop(options?: { readonly drain?: boolean }): Promise<void>;
}

/** Starts the configured roles. A failure closes everything opened before it. */
export const runMooring = async (options: RunOptions): Promise<Running> => {
  const { roles, clock, logger, abortStart } = options;
  const live = new LiveConfig(options.config);
  const config = live.view;
  if (roles.length === 1 && config.backbone === "embedded") throw needsNats(roles[0] ?? "core");

  const readiness = createReadiness();
  const metrics = createMetrics(logger);
  const hourCounts = new HourCounts(clock);
  const toolCalls = new RecentToolCalls(clock);
  const stopping = createStopping({ clock, logger });
  try {
    let starting = true;
    readiness.watch("process", () => (starting ? { ok: false, reason: "starting" } : { ok: true }));
    stopping.first("readiness", () => readiness.stopping());

    const isGateway = roles.includes("gateway");
    const listener = await openListener(config, isGateway, { readiness, logger });
    if (listener) {
      stopping.first("listener", () => listener.drain());
      stopping.underWay("listener", () => listener.refuse());
      stopping.last("listener", () => listener.close());
    }
    const token = isGateway && config.admin.tokens.length === 0 ? await ensureAdminToken(config.dataDir) : undefined;

    const opened = await openBackbone(config.backbone, {
      dataDir: config.dataDir,
      clock,
      logger,
      requiredReaders: isGateway ? requiredReaders(config) : [],
    });
    stopping.last("backbone", () => opened.close());
    const telemetry = await startTelemetry(config, { clock, logger, meter: metrics.meter });
    if (telemetry) stopping.last("telemetry", () => telemetry.stop());
    const backbone = telemetry ? telemetry.traced(opened) : opened;
    readiness.watch("backbone", () => backbone.health());
    await whenHealthy(backbone, clock, abortStart);
    metrics.beforeScrape((meter) => {
      meter.gauge("ready", readiness.problems().length === 0 ? 1 : 0);
      for (const { subject, durable, waiting, running } of backbone.queues()) {
        meter.gauge("queue_waiting", waiting, { subject, durable });
        meter.gauge("queue_running", running, { subject, durable });
      }
    });

    hourCounts.start({
      store: backbone.store,
      clock,
      logger,
      instance: options.newId(),
      waiting: () => waitingMessages(config, backbone.queues()),
    });
    stopping.last("counts", () => hourCounts.stop());
    toolCalls.start({ store: backbone.store, logger, instance: options.newId() });
    stopping.last("tool calls", () => toolCalls.stop());
    const deps = {
      ...options,
      backbone,
      meter: hourCounts.metered(metrics.meter),
      tracer: telemetry?.tracer,
      toolCalls,
    };
    const agents = roles.includes("core") ? await RunningAgents.start(deps) : undefined;
    if (agents) stopping.underWay("agents", () => agents.stop());
    const url = isGateway && listener ? publicUrl({ ...config.gateway, port: listener.port }) : undefined;
    const healthUrl = listener && !isGateway ? `http://${config.core.host}:${listener.port}/health/ready` : undefined;
    if (listener && healthUrl) {
      const checkOfOperators = derived(
        () => config.admin.tokens,
        (tokens) => operatorCheck(tokens, undefined),
      );
      const operators: OperatorCheck = (authorization) => checkOfOperators()(authorization);
      const signIns = new SignInGuard({ clock, logger, meter: metrics.meter });
      stopping.last("sign-in report", () => signIns.flush());
      const gate = metricsGate({ metrics: () => config.metrics, operators, signIns });
      await createServer({ listener, adapters: [], readiness, metrics, metricsGate: gate, logger });
    }
    let reloader: Reloader | undefined;
    const reload = async () => {
      if (reloader === undefined) throw new AppError("unavailable", "this process is starting: reload again soon");
      return reloader.reload();
    };
    let channels: RunningChannels | undefined;
    if (listener && url !== undefined) {
      const ownerSecret = config.owner && (await loadOwnerSecret(backbone.store, config.dataDir, logger));
      const started = await startChannels({
        ...deps,
        config,
        reload,
        ownerSecret,
        publicUrl: url,
        listener,
        readiness,
        metrics,
        adminToken: token?.token,
      });
      channels = started;
      stopping.underWay("channels", () => started.stop());
    }
    const ownerLink =
      config.owner && url !== undefined ? await createOwnerLink({ store: backbone.store, clock }, url) : undefined;
    const { readConfig: read, setLogLevel, onPartLost = () => undefined } = options;
    reloader = new Reloader({ live, read, backbone, logger, setLogLevel, agents, channels, onPartLost });
    starting = false;
    // With the embedded backbone there is no other process that could serve the requests.
    const drainMs = isGateway && config.backbone !== "embedded" ? config.gateway.drainMs : 0;
    return {
      ...(url !== undefined && { url }),
      ...(healthUrl !== undefined && { healthUrl }),
      ...(token && { adminTokenFile: token.file }),
      ...(ownerLink !== undefined && { ownerLink }),
      reload,
      stop: ({ drain = false } = {}) => stopping.stop({ drainMs: drain ? drainMs : 0 }),
    };
  } catch (error) {
    await stopping.stop();
    throw error;
  }
};

/** Messages that wait for each agent in this process. */
const waitingMessages = ({ agents }: Config, queues: readonly QueueDepth[]): ReadonlyMap<string, number> =>
  new Map(
    agents.map(({ name, tenant }) => {
      const { name: subject } = subjectsOf(tenant).userMessage(name);
      const own = queues.filter((queue) => queue.subject === subject && queue.durable === INTAKE_DURABLE);
      return [name, own.reduce((sum, { waiting }) => sum + waiting, 0)];
    }),
  );

const openListener = async (
  { gateway, core }: Config,
  isGateway: boolean,
  { readiness, logger }: { readiness: Readiness; logger: Logger },
) => {
  if (isGateway) return openHttpListener({ ...gateway, logger }, readiness);
  const { host, port } = core;
  return port === undefined ? undefined : openHttpListener({ host, port, logger }, readiness, "core");
};

const needsNats = (role: Role): AppError =>
  new AppError(
    "bad-configuration",
    `"mooring ${role}" runs one part of Mooring, and the embedded backbone is for one process only: ` +
      `use "mooring start", or set backbone to { nats: { servers: ["nats://127.0.0.1:4222"] } }`,
  );

/** The queues for messages from people; without a reader these messages would stay unanswered. */
const requiredReaders = ({ agents }: Pick<Config, "agents">): readonly RequiredReader[] =>
  agents.map(({ name, tenant }) => ({
    subject: subjectsOf(tenant).userMessage(name),
    durable: INTAKE_DURABLE,
    label: `messages to agent "${name}"`,
  }));

import type { FastifyInstance } from "fastify";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import type { Config } from "../config/index.ts";
import type { BackboneConfig } from "../core/backbone/index.ts";
import { noCheckpoint } from "../core/contract/checkpoint.ts";
import type { Timer } from "../core/contract/clock.ts";
import { withinDeadline } from "../core/lib/index.ts";
import { DueIndex } from "../core/schedules/index.ts";
import { peerEventRoute, type RunningA2a, startA2a } from "./a2a/index.ts";
import { adminRoutes, adminScope, operatorCheck } from "./admin/index.ts";
import { agentPlaces, tenantOf } from "./agent-config.ts";
import { refreshAfterOutage } from "./backbone-health.ts";
import { adapterContext, type ChannelDeps, relayContext } from "./channel-contexts.ts";
import { ChannelReporter, ChannelTraffic, pauseKey, watchChannel } from "./channel-status/index.ts";
import { consoleRoutes } from "./console/index.ts";
import { createAdapter } from "./create-adapter.ts";
import { createServer, type HttpListener, type Readiness } from "./http/index.ts";
import { SignInGuard } from "./http/limits/index.ts";
import { metricsGate } from "./http/routes/index.ts";
import type { Metrics } from "./metrics/index.ts";
import {
  admitsOn,
  Backpressure,
  defaultRelayLimits,
  deliveryDefaults,
  findPermalink,
  limitedAccess,
  type RunningChannel,
  runChannel,
} from "./relay/index.ts";
import { WriteWatch } from "./write-watch.ts";

interface ChannelsDeps extends Omit<ChannelDeps, "channel" | "tenant" | "agent" | "writes"> {
  readonly config: Config;
  readonly listener: HttpListener;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** The operator token that was created because none is configured. */
  readonly adminToken?: string | undefined;
}

/** How long readiness waits for a platform: a channel that takes longer goes on starting, and is degraded until then. */
const FIRST_ATTEMPT_MS = 5_000;

/**
 * Every configured channel, and the server in front of them. Channels start side by side and serve as soon as they can;
 * one whose platform is away delays neither the others nor the process (U6).
 */
export const startChannels = async (parts: ChannelsDeps): Promise<{ stop(): Promise<void> }> => {
  const { config, listener, readiness, metrics, adminToken, ...given } = parts;
  const writes = new WriteWatch(given);
  const common = { ...given, writes };
  const { instance, leaseMs } = connectionHolder(config.backbone, common.newId);
  const adapters: ChannelAdapter[] = [];
  const running: RunningChannel[] = [];
  const reporters: ChannelReporter[] = [];
  const watches: Timer[] = [];
  const pressures: Backpressure[] = [];
  let a2a: RunningA2a | undefined;
  const watch = refreshAfterOutage({ ...common, adapters });
  const signIns = new SignInGuard(common);
  const stop = async () => {
    watch.cancel();
    writes.stop();
    signIns.flush();
    for (const timer of watches) timer.cancel();
    for (const pressure of pressures) pressure.stop();
    await Promise.all([a2a?.stop(), ...[...reporters, ...running].map((part) => part.stop())]);
  };
  try {
    for (const [channel, channelConfig] of Object.entries(config.channels)) {
      const { agent, access } = channelConfig;
      const traffic = new ChannelTraffic(common.clock);
      const tenant = tenantOf(config, agent);
      const own = { ...common, channel, agent, tenant, meter: traffic.metered(common.meter) };
      const adapter = await createAdapter(channelConfig, adapterContext(own));
      const pressure = new Backpressure({
        ...own,
        bus: common.backbone.bus,
        maxWaiting: config.gateway.limits.waitingMessages,
      });
      await pressure.start();
      pressures.push(pressure);
      const rules = {
        access: limitedAccess(access, adapter),
        refuseIfCrowded: pressure.refuseIfCrowded,
        admits: admitsOn(config, agent),
        adapter,
        defaultsOn: deliveryDefaults(config, agent),
        findPermalink: findPermalink(adapters, common),
        leaseMs,
        ...agentPlaces(config, agent),
      };
      const { bus, store } = common.backbone;
      const isPaused = (await store.get(pauseKey({ tenant, channel }))) !== undefined;
      const started = await runChannel(relayContext(own, rules), adapter, instance, {
        isPaused,
        inBackground: true,
      });
      adapters.push(adapter);
      running.push(started);
      readiness.watchOptional(`channel ${channel}`, () => started.health());
      metrics.beforeReading((meter) => meter.gauge("channel_degraded", started.health().ok ? 0 : 1, { channel }));
      reporters.push(new ChannelReporter({ ...common, bus, store, instance }, { tenant, channel }, started, traffic));
    }
    if (Object.keys(config.a2a.callers).length > 0) a2a = await startA2a({ ...common, config, signIns });
    const adminParts = {
      ...common,
      bus: common.backbone.bus,
      store: common.backbone.store,
      dueTimes: new DueIndex(common.backbone),
      checkpoint: noCheckpoint,
      config,
      adapters,
    };
    const check = operatorCheck(config.admin.tokens, adminToken);
    const admin = { ...adminParts, check, signIns };
    const routes = [
      peerEventRoute(common.backbone, config.a2a.webhookKey),
      consoleRoutes,
      ...(a2a ? [a2a.addRoutes] : []),
      (app: FastifyInstance) => adminScope(app, admin, (scope) => adminRoutes(scope, adminParts)),
    ];
    await createServer({
      listener,
      adapters,
      readiness,
      metrics,
      metricsGate: metricsGate({ ...config, publicUrl: config.gateway.publicUrl, operators: check, signIns }),
      clock: common.clock,
      limits: config.gateway,
      logger: common.logger,
      routes,
    });
    await withinDeadline(common.clock, FIRST_ATTEMPT_MS, firstAttempts(running), () => undefined);
    for (const [index, reporter] of reporters.entries()) {
      await reporter.start();
      const channel = running[index];
      if (channel) watches.push(watchChannel(channel, { ...common, changed: () => reporter.look() }));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
};

const firstAttempts = async (running: readonly RunningChannel[]): Promise<void> => {
  await Promise.all(running.map(({ firstAttempt }) => firstAttempt));
};

interface ConnectionHolder {
  /** This gateway's name among those that run. */
  readonly instance: string;
  readonly leaseMs: number;
}

/** As whom this gateway holds a connection that only one may have, and how long it stays its own without a sign of life. */
export const connectionHolder = (backbone: BackboneConfig, newId: () => string): ConnectionHolder =>
  backbone === "embedded"
    ? // Its data takes one process at a time: the next one is its heir, and waits for no lease to end.
      { instance: "embedded", leaseMs: defaultRelayLimits.leaseMs }
    : { instance: newId(), leaseMs: backbone.nats.leaseMs };

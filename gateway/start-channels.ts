import type { FastifyInstance } from "fastify";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import type { Config } from "../config/config.ts";
import { noCheckpoint } from "../core/contract/checkpoint.ts";
import { DueIndex } from "../core/schedules/due-index.ts";
import { peerEventRoute } from "./a2a/peer-event-route.ts";
import type { RunningA2a } from "./a2a/start-a2a.ts";
import { createAdapter } from "./adapter-registry.ts";
import { adminRoutes } from "./admin/admin-routes.ts";
import { operatorCheck } from "./admin/operator.ts";
import { admitsOn } from "./admits-on.ts";
import { agentPlaces } from "./agent-places.ts";
import { adapterContext, type ChannelParts, relayContext } from "./channel-contexts.ts";
import { pauseKey } from "./channel-status/channel-record.ts";
import { ChannelReporter } from "./channel-status/channel-reporter.ts";
import { ChannelTraffic } from "./channel-status/channel-traffic.ts";
import { connectionHolder } from "./connection-holder.ts";
import { consoleRoutes } from "./console/console-routes.ts";
import { deliveryDefaults } from "./delivery-defaults.ts";
import { findPermalink } from "./find-permalink.ts";
import type { HttpListener } from "./http-listener.ts";
import { limitedAccess } from "./limited-access.ts";
import { SignInGuard } from "./limits/sign-in-guard.ts";
import type { Metrics } from "./metrics/create-metrics.ts";
import type { Readiness } from "./readiness.ts";
import { refreshAfterOutage } from "./refresh-after-outage.ts";
import { CrowdCheck } from "./relay/crowd-check.ts";
import { type RunningChannel, runChannel } from "./relay/run-channel.ts";
import { metricsGate } from "./routes/metrics-gate.ts";
import { createServer } from "./server.ts";
import { tenantOf } from "./tenant-of.ts";

export interface ChannelsParts extends Omit<ChannelParts, "channel" | "tenant" | "agent"> {
  readonly config: Config;
  readonly listener: HttpListener;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** The operator token that was created because none is configured. */
  readonly adminToken?: string | undefined;
}

/** Every configured channel, and the server in front of them. */
export const startChannels = async (parts: ChannelsParts): Promise<{ stop(): Promise<void> }> => {
  const { config, listener, readiness, metrics, adminToken, ...common } = parts;
  const { instance, leaseMs } = connectionHolder(config.backbone, common.newId);
  const adapters: ChannelAdapter[] = [];
  const running: RunningChannel[] = [];
  const reporters: ChannelReporter[] = [];
  const crowds: CrowdCheck[] = [];
  let a2a: RunningA2a | undefined;
  const watch = refreshAfterOutage({ ...common, adapters });
  const signIns = new SignInGuard(common);
  const stop = async () => {
    watch.cancel();
    signIns.flush();
    for (const crowd of crowds) crowd.stop();
    await Promise.all(reporters.map((reporter) => reporter.stop()));
    await Promise.all([a2a?.stop(), ...running.map((channel) => channel.stop())]);
  };
  try {
    for (const [channel, channelConfig] of Object.entries(config.channels)) {
      const { agent, access } = channelConfig;
      const traffic = new ChannelTraffic(common.clock);
      const tenant = tenantOf(config, agent);
      const own = { ...common, channel, agent, tenant, meter: traffic.metered(common.meter) };
      const adapter = await createAdapter(channelConfig, adapterContext(own));
      const crowd = new CrowdCheck({
        ...own,
        bus: common.backbone.bus,
        maxWaiting: config.gateway.limits.waitingMessages,
      });
      await crowd.start();
      crowds.push(crowd);
      const rules = {
        access: limitedAccess(access, adapter),
        refuseIfCrowded: () => crowd.refuseIfCrowded(),
        admits: admitsOn(config, agent),
        adapter,
        defaultsOn: deliveryDefaults(config, agent),
        findPermalink: findPermalink(adapters, common),
        leaseMs,
        ...agentPlaces(config, agent),
      };
      const { bus, store } = common.backbone;
      const isPaused = (await store.get(pauseKey({ tenant, channel }))) !== undefined;
      const started = await runChannel(relayContext(own, rules), adapter, instance, { isPaused });
      adapters.push(adapter);
      running.push(started);
      readiness.watch(`channel ${channel}`, () => started.health());
      const reporter = new ChannelReporter({ ...common, bus, store, instance }, { tenant, channel }, started, traffic);
      await reporter.start();
      reporters.push(reporter);
    }
    // Its library is loaded only if it is needed.
    if (Object.keys(config.a2a.callers).length > 0) {
      const { startA2a } = await import("./a2a/start-a2a.ts");
      a2a = await startA2a({ ...common, config, signIns });
    }
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
    const admin = {
      ...adminParts,
      check,
      signIns,
      addRoutes: (scope: FastifyInstance) => adminRoutes(scope, adminParts),
    };
    const routes = [peerEventRoute(common.backbone, config.a2a.webhookKey), consoleRoutes];
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
      a2a,
      admin,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
};

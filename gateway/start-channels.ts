import type { FastifyInstance } from "fastify";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import type { Config } from "../config/config.ts";
import { TenantSettings } from "../core/a2a/tenant-settings.ts";
import { noCheckpoint } from "../core/contract/checkpoint.ts";
import { DueIndex } from "../core/schedules/due-index.ts";
import { peerEventRoute } from "./a2a/peer-event-route.ts";
import { createAdapter } from "./adapter-registry.ts";
import { operatorCheck } from "./admin/operator.ts";
import { scheduleRoutes } from "./admin/schedule-routes.ts";
import { tenantRoutes } from "./admin/tenant-routes.ts";
import { adapterContext, type ChannelParts, relayContext } from "./channel-contexts.ts";
import { deliveryDefaults } from "./delivery-defaults.ts";
import { findPermalink } from "./find-permalink.ts";
import type { FrontDoor } from "./front-door.ts";
import type { Metrics } from "./metrics/create-metrics.ts";
import type { Readiness } from "./readiness.ts";
import { refreshAfterOutage } from "./refresh-after-outage.ts";
import { type RunningChannel, runChannel } from "./relay/run-channel.ts";
import { createServer } from "./server.ts";
import { tenantOf } from "./tenant-of.ts";

export interface ChannelsParts extends Omit<ChannelParts, "channel" | "tenant" | "agent"> {
  readonly config: Config;
  readonly door: FrontDoor;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** Of the operator, where none is configured. */
  readonly adminToken?: string | undefined;
}

/** Every configured channel, and the server in front of them. */
export const startChannels = async (parts: ChannelsParts): Promise<{ stop(): Promise<void> }> => {
  const { config, door, readiness, metrics, adminToken, ...common } = parts;
  const instance = common.newId();
  const adapters: ChannelAdapter[] = [];
  const running: RunningChannel[] = [];
  const watch = refreshAfterOutage({ ...common, adapters });
  const stop = async () => {
    watch.cancel();
    await Promise.all(running.map((channel) => channel.stop()));
  };
  try {
    for (const [channel, channelConfig] of Object.entries(config.channels)) {
      const { agent, access } = channelConfig;
      const own = { ...common, channel, agent, tenant: tenantOf(config, agent) };
      const rules = {
        access,
        defaultsOn: deliveryDefaults(config, agent),
        findPermalink: findPermalink(adapters, common),
      };
      const adapter = await createAdapter(channelConfig, adapterContext(own));
      const started = await runChannel(relayContext(own, rules), adapter, instance);
      adapters.push(adapter);
      running.push(started);
      readiness.watch(`channel ${channel}`, () => started.health());
    }
    const settingsParts = { store: common.backbone.store, clock: common.clock };
    const admin = {
      check: operatorCheck(config.admin.tokens, adminToken),
      addRoutes: (scope: FastifyInstance) => {
        scheduleRoutes(scope, {
          ...common,
          ...common.backbone,
          dueTimes: new DueIndex(common.backbone),
          checkpoint: noCheckpoint,
          config,
        });
        tenantRoutes(scope, { ...common, config, settings: new TenantSettings(settingsParts, config.tenants) });
      },
    };
    const routes = [peerEventRoute(common.backbone)];
    await createServer({ door, adapters, readiness, metrics, logger: common.logger, routes, admin });
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
};

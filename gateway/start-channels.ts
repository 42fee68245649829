import type { FastifyInstance } from "fastify";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import { Places } from "../adapters/contract/places.ts";
import type { ConfigFile } from "../config/file/index.ts";
import type { Config } from "../config/index.ts";
import type { BackboneConfig } from "../core/backbone/index.ts";
import { AppError } from "../core/contract/app-error.ts";
import type { AgentRef } from "../core/contract/messages/addresses.ts";
import type { Timer } from "../core/contract/ports/clock.ts";
import { noCheckpoint } from "../core/contract/ports/telemetry.ts";
import { withinDeadline } from "../core/lib/index.ts";
import { BlockedAccounts } from "../core/rights/index.ts";
import { DueIndex } from "../core/schedules/index.ts";
import { peerEventRoute, type RunningA2a, startA2a } from "./a2a/index.ts";
import { adminRoutes, adminScope, type OperatorCheck, operatorCheck } from "./admin/index.ts";
import { homeAndChannelsOf, tenantOf } from "./agent-config.ts";
import { refreshAfterOutage } from "./backbone-health.ts";
import type { ChannelDeps } from "./channel-contexts.ts";
import { adapterContext, relayContext } from "./channel-contexts.ts";
import { ChannelSlot, type CreatedChannel } from "./channel-slot.ts";
import { ChannelReporter, ChannelTraffic, pauseKey, watchChannel } from "./channel-status/index.ts";
import { consoleRoutes } from "./console/index.ts";
import { watchDisk } from "./disk-watch.ts";
import { fileRoutes, filesHostOnly } from "./files/index.ts";
import { createAdapterOrFail } from "./foreign/index.ts";
import { createServer, type HttpListener, metricsGate, type Readiness, SignInGuard } from "./http/index.ts";
import { ownerRoutes, redeemOwnerLink } from "./owner/index.ts";
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
import { derived, type PreparedChannels, type ReloadReport } from "./reload/index.ts";
import { SharedRates } from "./shared-rates.ts";
import { TakeoverKeeper } from "./takeovers/index.ts";
import type { LogTail, Metrics } from "./telemetry/index.ts";
import { UploadBudgets } from "./upload-budgets.ts";
import { WriteWatch } from "./write-watch.ts";

interface ChannelsDeps extends Omit<ChannelDeps, "channel" | "tenant" | "agent" | "writes"> {
  /** Read at the time of use where a reload may change it. */
  readonly config: Config;
  readonly listener: HttpListener;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** The operator token that was created because none is configured. */
  readonly adminToken?: string | undefined;
  /** The owner secret of personal mode. */
  readonly ownerSecret?: Buffer | undefined;
  /** For operators; absent: this process keeps no log lines. */
  readonly logTail?: LogTail | undefined;
  /** For operators; absent: this process has no configuration file. */
  readonly configFile?: ConfigFile | undefined;
  /** For operators; absent: this process cannot reload its configuration. */
  readonly reload?: (() => Promise<ReloadReport>) | undefined;
}

export interface RunningChannels {
  /** Creates channels with other settings, for a reload. Rejects if one cannot be created. */
  prepare(next: Config, channels: readonly string[]): Promise<PreparedChannels>;
  stop(): Promise<void>;
}

/** Readiness waits this long for the platforms. A slower channel continues to start and is degraded until then. */
const FIRST_ATTEMPT_MS = 5_000;

/**
 * Starts every configured channel and the HTTP server. Channels start concurrently and serve as soon as they can; an
 * unavailable platform delays neither the other channels nor the process (U6).
 */
export const startChannels = async (deps: ChannelsDeps): Promise<RunningChannels> => {
  const { config, listener, readiness, metrics, adminToken, ownerSecret, reload, logTail, configFile, ...given } = deps;
  const writes = new WriteWatch(given);
  const { filesUrl = config.gateway.publicUrl } = config.gateway;
  const common = { ...given, filesUrl, writes };
  const ownerDeps = { clock: given.clock, store: given.backbone.store };
  const owner = config.owner &&
    ownerSecret && {
      name: config.owner.name,
      secret: ownerSecret,
      redeem: (code: string, browser: string) => redeemOwnerLink(ownerDeps, code, browser),
    };
  const { instance, leaseMs } = leaseHolder(config.backbone, common.newId);
  const adapters: ChannelAdapter[] = [];
  const slots = new Map<string, ChannelSlot>();
  const traffics = new Map<string, ChannelTraffic>();
  const reporters: ChannelReporter[] = [];
  const watches: Timer[] = [];
  const blocked = new BlockedAccounts({ ...common, ...common.backbone });
  const takeovers = new TakeoverKeeper({ ...common, ...common.backbone });
  let a2a: RunningA2a | undefined;
  const watch = refreshAfterOutage({ ...common, adapters });
  // Only one process can use an exclusive store, so there is no other gateway.
  const shared = common.backbone.store.exclusive ? undefined : new SharedRates({ ...common, ...common.backbone });
  const signIns = new SignInGuard({ ...common, share: shared?.of("sign-ins") });
  const uploadBudgets = new UploadBudgets({ ...common, store: common.backbone.store });
  const uploads = new Map<string, Places>();
  const placesOf = (tenant: string, limit: number): Places => {
    const places = uploads.get(tenant) ?? new Places(limit);
    uploads.set(tenant, places);
    return places;
  };
  const pressures = new Map<string, Backpressure>();
  const pressureOn = async (channel: string, ref: AgentRef): Promise<Backpressure> => {
    const { bus } = common.backbone;
    const { waitingMessages: maxWaiting } = config.gateway.limits;
    const pressure = pressures.get(channel) ?? new Backpressure({ ...common, ...ref, bus, maxWaiting });
    if (!pressures.has(channel)) await pressure.start();
    pressures.set(channel, pressure);
    return pressure;
  };
  /** The channel as `settings` describe it. Other channels and lasting settings are read from the one in force. */
  const create = async (settings: Config, channel: string): Promise<CreatedChannel> => {
    const channelConfig = settings.channels[channel];
    if (channelConfig === undefined) throw new AppError("bad-configuration", `there is no channel "${channel}"`);
    const { agent, access } = channelConfig;
    const tenant = tenantOf(settings, agent);
    const { storedBytes: tenantStoredBytes, uploads: tenantUploads } = settings.tenants[tenant] ?? {};
    const agentConfig = settings.agents.find(({ name }) => name === agent);
    const own = {
      ...common,
      blocked,
      tenantStoredBytes,
      storedByteRates: shared?.of(`stored bytes ${channel}`),
      messageRates: shared?.of(`messages ${channel}`),
      tenantUploads: tenantUploads === undefined ? undefined : placesOf(tenant, tenantUploads),
      personBudget: agentConfig && uploadBudgets.on(channel, settings, agentConfig),
      channel,
      agent,
      tenant,
      meter: traffics.get(channel)?.metered(common.meter) ?? common.meter,
    };
    const isForOwner = settings.adapters.get(channelConfig.adapter)?.definition.ownerAccount !== undefined;
    const adapter = await createAdapterOrFail(
      settings.adapters,
      channelConfig,
      adapterContext({ ...own, owner: isForOwner ? owner : undefined }),
    );
    const pressure = await pressureOn(channel, { tenant, agent });
    const context = relayContext(own, {
      access: { ...limitedAccess(access, adapter), isPersonal: settings.owner !== undefined },
      refuseIfOverloaded: pressure.refuseIfOverloaded,
      admits: admitsOn(config, agent),
      adapter,
      defaultsOn: deliveryDefaults(config, agent),
      files: agentConfig?.files,
      findPermalink: findPermalink(adapters, common),
      leaseMs,
      ...homeAndChannelsOf(settings, agent),
    });
    const start = async () => {
      const isPaused = (await common.backbone.store.get(pauseKey({ tenant, channel }))) !== undefined;
      return runChannel(context, adapter, instance, { isPaused, inBackground: true });
    };
    return { adapter, context, start };
  };
  const stop = async () => {
    watch.cancel();
    writes.stop();
    shared?.stop();
    blocked.stop();
    const takeoversStopped = takeovers.stop();
    signIns.flush();
    for (const timer of watches) timer.cancel();
    await Promise.all([a2a?.stop(), ...[...reporters, ...slots.values()].map((part) => part.stop())]);
    for (const pressure of pressures.values()) pressure.stop();
    await Promise.all([takeoversStopped, uploadBudgets.stop()]);
  };
  try {
    await shared?.start();
    await blocked.start(Object.keys(config.tenants));
    takeovers.start();
    for (const channel of Object.keys(config.channels)) {
      const traffic = new ChannelTraffic(common.clock);
      traffics.set(channel, traffic);
      const slot = await ChannelSlot.start(await create(config, channel));
      adapters.push(slot.adapter);
      slots.set(channel, slot);
      readiness.watchOptional(`channel ${channel}`, () => slot.health());
      metrics.beforeScrape((meter) => meter.gauge("channel_degraded", slot.health().ok ? 0 : 1, { channel }));
      const ref = { tenant: slot.context.tenant, channel };
      reporters.push(new ChannelReporter({ ...common, ...common.backbone, instance }, ref, slot, traffic));
    }
    if (Object.keys(config.a2a.callers).length > 0)
      a2a = await startA2a({ ...common, config, signIns, callerRates: shared?.of("callers") });
    watches.push(await watchDisk({ ...common, readiness, metrics }, minFreeBytes(config)));
    const adminDeps = {
      ...common,
      bus: common.backbone.bus,
      store: common.backbone.store,
      dueTimes: new DueIndex(common.backbone),
      checkpoint: noCheckpoint,
      config,
      adapters,
      instance,
      logTail,
      configFile,
      reload,
    };
    const checkOfOperators = derived(
      () => config.admin.tokens,
      (tokens) => operatorCheck(tokens, tokens.length === 0 ? adminToken : undefined),
    );
    const check: OperatorCheck = (authorization) => checkOfOperators()(authorization);
    const admin = { ...adminDeps, check, signIns };
    const routes = [
      peerEventRoute(common.backbone, () => config.a2a),
      filesHostOnly(filesUrl, common.publicUrl),
      fileRoutes({
        store: common.backbone.store,
        clock: common.clock,
        isStillTarget: async (reply, target) =>
          (await slots.get(target.channel)?.context.isStillTarget(reply, target)) ?? false,
      }),
      consoleRoutes,
      ...(owner ? [ownerRoutes({ ...ownerDeps, publicUrl: given.publicUrl, secret: owner.secret })] : []),
      ...(a2a ? [a2a.addRoutes] : []),
      (app: FastifyInstance) => adminScope(app, admin, (scope) => adminRoutes(scope, adminDeps)),
    ];
    await createServer({
      listener,
      adapters,
      readiness,
      metrics,
      metricsGate: metricsGate({
        metrics: () => config.metrics,
        publicUrl: config.gateway.publicUrl,
        operators: check,
        signIns,
      }),
      clock: common.clock,
      limits: config.gateway,
      logger: common.logger,
      routes,
      isPersonal: config.owner !== undefined,
    });
    await withinDeadline(common.clock, FIRST_ATTEMPT_MS, firstAttempts([...slots.values()]), () => undefined);
    for (const [index, slot] of [...slots.values()].entries()) {
      const reporter = reporters[index];
      await reporter?.start();
      if (reporter) watches.push(watchChannel(slot, { ...common, changed: () => reporter.checkSoon() }));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const prepare = async (next: Config, channels: readonly string[]): Promise<PreparedChannels> => {
    const created = await Promise.all(
      channels.flatMap((channel) => {
        const slot = slots.get(channel);
        return slot ? [create(next, channel).then((created) => ({ slot, created }))] : [];
      }),
    );
    return {
      misfits: created.flatMap(({ slot, created }) => (slot.fits(created) ? [] : [slot.channel])),
      restart: async () => {
        await Promise.all(created.map(({ slot, created }) => slot.restartAs(created)));
        await withinDeadline(common.clock, FIRST_ATTEMPT_MS, firstAttempts([...slots.values()]), () => undefined);
      },
    };
  };
  return { prepare, stop };
};

/** The highest limit of all channels that accept uploads. */
const minFreeBytes = ({ channels }: Config): number =>
  Math.max(
    0,
    ...Object.values(channels).map((channel) => {
      // An adapter from outside may have other limits.
      const bytes: unknown = "limits" in channel ? channel.limits?.minFreeBytes : 0;
      return typeof bytes === "number" ? bytes : 0;
    }),
  );

const firstAttempts = async (running: readonly RunningChannel[]): Promise<void> => {
  await Promise.all(running.map(({ firstAttempt }) => firstAttempt));
};

interface LeaseHolder {
  /** Unique among running gateways. */
  readonly instance: string;
  readonly leaseMs: number;
}

/** The name and lease duration with which this gateway holds exclusive connections. */
export const leaseHolder = (backbone: BackboneConfig, newId: () => string): LeaseHolder =>
  backbone === "embedded"
    ? // Only one process can open the data, so a restart takes the lease over without waiting for its expiry.
      { instance: "embedded", leaseMs: defaultRelayLimits.leaseMs }
    : { instance: newId(), leaseMs: backbone.nats.leaseMs };

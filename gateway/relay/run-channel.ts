import { isHealthAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Consumer } from "../../core/contract/ports/bus.ts";
import { withinDeadline } from "../../core/lib/index.ts";
import { ChannelConnection } from "./channel-connection.ts";
import { ChannelLease } from "./channel-lease.ts";
import type { RelayContext } from "./context.ts";
import { startWakeUps } from "./digest/wake-up.ts";
import { startFanOut } from "./fan-out.ts";
import { followMoves } from "./moved-rooms.ts";
import { DeliveryHealth } from "./sending/call-adapter.ts";

/** standby: another gateway holds the connection, or an operator has paused the channel. */
export type ChannelHealth =
  | { ok: true; standby: boolean }
  /** starting: the first attempt is in progress, which is not a failure. */
  | { ok: false; reason: string; starting?: boolean };

export interface RunningChannel {
  readonly channel: string;
  /** Resolves when the first attempt to start the adapter has ended, even if it failed. */
  readonly firstAttempt: Promise<void>;
  health(): ChannelHealth;
  /** A paused channel accepts no messages, and its deliveries wait in the queue. */
  setPaused(isPaused: boolean): Promise<void>;
  /** Stops intake first, then waits for deliveries in progress, bounded in time. The rest waits in the queue. */
  stop(): Promise<void>;
}

interface RunOptions {
  /** A paused channel is not started. */
  readonly isPaused?: boolean;
  /** Resolves without waiting for the platform; see `firstAttempt`. */
  readonly inBackground?: boolean;
}

/**
 * Runs one channel on this gateway. Resolves once the first attempt to start the adapter has ended; a failed start is
 * retried, and the health has the reason. `instance` is the name of this gateway among the running ones.
 */
export const runChannel = async (
  relay: RelayContext,
  platformAdapter: ChannelAdapter,
  instance: string,
  { isPaused = false, inBackground = false }: RunOptions = {},
): Promise<RunningChannel> => {
  const deliveryHealth = new DeliveryHealth();
  const context = { ...relay, deliveryHealth };
  const adapter = followMoves(relay, platformAdapter);
  const { channel, capabilities } = adapter;
  const consumers: Consumer[] = [];
  const isLog = capabilities.resend === "log";
  // Replies are queued from now on, even while the platform is unreachable.
  if (!isLog) consumers.push(await startFanOut(context, adapter), await startWakeUps(context, channel));

  let lease: ChannelLease | undefined;
  const connection = new ChannelConnection(context, adapter, () => lease?.held ?? true);
  const wanted = { isHolder: false, isPaused };
  let isOpen = false;
  let changing: Promise<void> = Promise.resolve();
  /** Opens or closes the connection; one change at a time. */
  const change = (to: Partial<typeof wanted>): Promise<void> => {
    Object.assign(wanted, to);
    const next = changing.then(async () => {
      const shouldBeOpen = wanted.isHolder && !wanted.isPaused;
      if (shouldBeOpen === isOpen) return;
      isOpen = shouldBeOpen;
      deliveryHealth.reset();
      await (shouldBeOpen ? connection.open() : connection.close());
    });
    changing = next.catch(() => undefined);
    return next;
  };
  let firstAttempt: Promise<void>;
  if (capabilities.connection === "exclusive") {
    const changed = (held: boolean) => change({ isHolder: held });
    lease = new ChannelLease({ ...context, channel, instance, leaseMs: context.limits.leaseMs, changed });
    firstAttempt = lease.start();
  } else {
    firstAttempt = change({ isHolder: true });
  }
  if (!inBackground) await firstAttempt;

  const stopAll = async () => {
    const closed = lease ? lease.stop() : change({ isHolder: false });
    await Promise.all([closed, ...consumers.map((consumer) => consumer.close())]);
  };
  let stopping: Promise<void> | undefined;
  return {
    channel,
    firstAttempt: firstAttempt.catch(() => undefined),
    health() {
      // With a lease, the connection opens after the lease is taken and closes before it is released.
      if (wanted.isPaused || (lease && !(lease.held && isOpen))) return { ok: true, standby: true };
      const health = isHealthAdapter(adapter) ? adapter.health() : { ok: true as const };
      const reason = connection.problem ?? (health.ok ? deliveryHealth.problem : health.reason);
      if (reason === undefined) return { ok: true, standby: false };
      return { ok: false, reason, ...(connection.isStarting && { starting: true }) };
    },
    setPaused: async (paused) => {
      if (wanted.isPaused !== paused) await change({ isPaused: paused });
    },
    stop() {
      const { clock, limits, logger } = context;
      const onTimeout = () =>
        logger.warn({ channel }, "channel did not stop in time, unfinished deliveries will be redelivered");
      stopping ??= withinDeadline(clock, limits.stopWithinMs, stopAll(), onTimeout).catch((error: unknown) =>
        logger.error({ channel, error: messageOf(error) }, "channel did not stop cleanly"),
      );
      return stopping;
    },
  };
};

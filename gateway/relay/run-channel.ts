import { isHealthAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Consumer } from "../../core/contract/bus.ts";
import { ChannelConnection } from "./channel-connection.ts";
import { ChannelLease } from "./channel-lease.ts";
import { DeliveryHealth } from "./delivery-health.ts";
import { startWakeUps } from "./digest/wake-up.ts";
import { startFanOut } from "./fan-out.ts";
import type { RelayContext } from "./relay-context.ts";
import { withinDeadline } from "./within-deadline.ts";

/** standby: another gateway holds the connection, or an operator has paused the channel. */
export type ChannelHealth =
  | { ok: true; standby: boolean }
  /** starting: it connects for the first time, which is no trouble yet. */
  | { ok: false; reason: string; starting?: boolean };

export interface RunningChannel {
  readonly channel: string;
  /** Settles when the first attempt to start the adapter has ended, well or not. */
  readonly firstAttempt: Promise<void>;
  health(): ChannelHealth;
  /** A paused channel takes nothing in and sends nothing; what is to be sent waits. */
  setPaused(isPaused: boolean): Promise<void>;
  /** Intake first, then the deliveries under way; bounded in time. What is left waits in the queue. */
  stop(): Promise<void>;
}

interface RunOptions {
  /** A paused channel is not started. */
  readonly isPaused?: boolean;
  /** Resolves without waiting for the platform; see `firstAttempt`. */
  readonly inBackground?: boolean;
}

/**
 * Runs one channel on this gateway. Resolves once the first attempt to start the adapter has ended. An adapter that does
 * not start is retried, and its health says why. `instance` is this gateway's name among the running ones.
 */
export const runChannel = async (
  relay: RelayContext,
  adapter: ChannelAdapter,
  instance: string,
  { isPaused = false, inBackground = false }: RunOptions = {},
): Promise<RunningChannel> => {
  const deliveryHealth = new DeliveryHealth();
  const context = { ...relay, deliveryHealth };
  const { channel, capabilities } = adapter;
  const consumers: Consumer[] = [];
  const isLog = capabilities.resend === "log";
  // Replies are queued from now on, even while the platform cannot be reached.
  if (!isLog) consumers.push(await startFanOut(context, adapter), await startWakeUps(context, channel));

  let lease: ChannelLease | undefined;
  const connection = new ChannelConnection(context, adapter, () => lease?.held ?? true);
  const wanted = { isOurs: false, isPaused };
  let isOpen = false;
  let changing: Promise<void> = Promise.resolve();
  /** Opens or closes the connection; one change at a time. */
  const change = (to: Partial<typeof wanted>): Promise<void> => {
    Object.assign(wanted, to);
    const next = changing.then(async () => {
      const shouldBeOpen = wanted.isOurs && !wanted.isPaused;
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
    const changed = (held: boolean) => change({ isOurs: held });
    lease = new ChannelLease({ ...context, channel, instance, leaseMs: context.limits.leaseMs, changed });
    firstAttempt = lease.start();
  } else {
    firstAttempt = change({ isOurs: true });
  }
  if (!inBackground) await firstAttempt;

  const stopAll = async () => {
    const closed = lease ? lease.stop() : change({ isOurs: false });
    await Promise.all([closed, ...consumers.map((consumer) => consumer.close())]);
  };
  let stopping: Promise<void> | undefined;
  return {
    channel,
    firstAttempt: firstAttempt.catch(() => undefined),
    health() {
      if (wanted.isPaused || (lease && !lease.held)) return { ok: true, standby: true };
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
      const giveUp = () => logger.warn({ channel }, "channel did not stop in time; what is left is redelivered");
      stopping ??= withinDeadline(clock, limits.stopWithinMs, stopAll(), giveUp).catch((error: unknown) =>
        logger.error({ channel, error: messageOf(error) }, "channel did not stop cleanly"),
      );
      return stopping;
    },
  };
};

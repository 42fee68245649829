import { isHealthAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Consumer } from "../../core/contract/bus.ts";
import { ChannelConnection } from "./channel-connection.ts";
import { ChannelLease } from "./channel-lease.ts";
import { startWakeUps } from "./digest/wake-up.ts";
import { startFanOut } from "./fan-out.ts";
import type { RelayContext } from "./relay-context.ts";
import { withinDeadline } from "./within-deadline.ts";

/** standby: another gateway has it, or nobody is to. */
export type ChannelHealth = { ok: true; standby: boolean } | { ok: false; reason: string };

export interface RunningChannel {
  readonly channel: string;
  health(): ChannelHealth;
  /** A paused channel takes nothing in and sends nothing; what is to be sent waits. */
  setPaused(isPaused: boolean): Promise<void>;
  /** Intake first, then the deliveries under way; bounded in time. What is left waits in the queue. */
  stop(): Promise<void>;
}

/**
 * Runs one channel on this gateway. Resolves once the first attempt to start the adapter has ended; an adapter that
 * does not start is tried again, and its health says why. `instance` is this gateway's name among the running ones.
 * One that is paused does not even try.
 */
export const runChannel = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  instance: string,
  { isPaused = false } = {},
): Promise<RunningChannel> => {
  const { channel, capabilities } = adapter;
  const consumers: Consumer[] = [];
  const isLog = capabilities.resend === "log";
  // Replies are queued from now on, whether or not the platform can be reached.
  if (!isLog) consumers.push(await startFanOut(context, adapter), await startWakeUps(context, channel));

  let lease: ChannelLease | undefined;
  const connection = new ChannelConnection(context, adapter, () => lease?.held ?? true);
  const wanted = { isOurs: false, isPaused };
  let isOpen = false;
  let changing: Promise<void> = Promise.resolve();
  /** Opens or closes the connection, as it is wanted now; one change at a time. */
  const change = (to: Partial<typeof wanted>): Promise<void> => {
    Object.assign(wanted, to);
    const next = changing.then(async () => {
      const shouldBeOpen = wanted.isOurs && !wanted.isPaused;
      if (shouldBeOpen === isOpen) return;
      isOpen = shouldBeOpen;
      await (shouldBeOpen ? connection.open() : connection.close());
    });
    changing = next.catch(() => undefined);
    return next;
  };
  if (capabilities.connection === "exclusive") {
    const changed = (held: boolean) => change({ isOurs: held });
    lease = new ChannelLease({ ...context, channel, instance, leaseMs: context.limits.leaseMs, changed });
    await lease.start();
  } else {
    await change({ isOurs: true });
  }

  const stopAll = async () => {
    const closed = lease ? lease.stop() : change({ isOurs: false });
    await Promise.all([closed, ...consumers.map((consumer) => consumer.close())]);
  };
  let stopping: Promise<void> | undefined;
  return {
    channel,
    health() {
      if (wanted.isPaused || (lease && !lease.held)) return { ok: true, standby: true };
      if (connection.problem !== undefined) return { ok: false, reason: connection.problem };
      const health = isHealthAdapter(adapter) ? adapter.health() : { ok: true as const };
      return health.ok ? { ok: true, standby: false } : health;
    },
    setPaused: (paused) => change({ isPaused: paused }),
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

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

export type ChannelHealth = { ok: true; standby: boolean } | { ok: false; reason: string };

export interface RunningChannel {
  readonly channel: string;
  health(): ChannelHealth;
  /** Intake first, then the deliveries under way; bounded in time. What is left waits in the queue. */
  stop(): Promise<void>;
}

/**
 * Runs one channel on this gateway. Resolves once the first attempt to start the adapter has ended; an adapter that
 * does not start is tried again, and its health says why. `instance` is this gateway's name among the running ones.
 */
export const runChannel = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  instance: string,
): Promise<RunningChannel> => {
  const { channel, capabilities } = adapter;
  const consumers: Consumer[] = [];
  const isLog = capabilities.resend === "log";
  // Replies are queued from now on, whether or not the platform can be reached.
  if (!isLog) consumers.push(await startFanOut(context, adapter), await startWakeUps(context, channel));

  let lease: ChannelLease | undefined;
  const connection = new ChannelConnection(context, adapter, () => lease?.held ?? true);
  if (capabilities.connection === "exclusive") {
    const changed = (held: boolean) => (held ? connection.open() : connection.close());
    lease = new ChannelLease({ ...context, channel, instance, leaseMs: context.limits.leaseMs, changed });
    await lease.start();
  } else {
    await connection.open();
  }

  const stopAll = async () => {
    await Promise.all([lease ? lease.stop() : connection.close(), ...consumers.map((consumer) => consumer.close())]);
  };
  let stopping: Promise<void> | undefined;
  return {
    channel,
    health() {
      if (lease && !lease.held) return { ok: true, standby: true };
      if (connection.problem !== undefined) return { ok: false, reason: connection.problem };
      const health = isHealthAdapter(adapter) ? adapter.health() : { ok: true as const };
      return health.ok ? { ok: true, standby: false } : health;
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

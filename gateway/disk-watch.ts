import { messageOf } from "../core/contract/app-error.ts";
import type { Backbone } from "../core/contract/ports/backbone.ts";
import type { Clock, Timer } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";
import type { Readiness } from "./http/index.ts";
import type { Metrics } from "./telemetry/index.ts";

/** A timer asks the disk, so that neither a message nor a probe does. */
const CHECK_EVERY_MS = 10_000;

interface DiskWatchDeps {
  readonly backbone: Pick<Backbone, "freeBytes">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
}

/**
 * Shows the free space of the data folder in metrics, and as degraded in health while it is below `minFreeBytes`, from
 * which on uploads are refused (R3). Does nothing if another server stores the data.
 */
export const watchDisk = async (deps: DiskWatchDeps, minFreeBytes: number): Promise<Timer> => {
  const { backbone, clock, logger, readiness, metrics } = deps;
  const { freeBytes } = backbone;
  if (freeBytes === undefined) return { cancel: () => undefined };
  let free: number | undefined;
  let timer: Timer;
  let isStopped = false;
  const isLow = () => free !== undefined && free < minFreeBytes;
  const check = async (): Promise<void> => {
    const wasLow = isLow();
    free = await freeBytes().catch((error: unknown) => {
      logger.warn({ error: messageOf(error) }, "could not read the free disk space");
      return free;
    });
    if (isLow() && !wasLow) logger.warn({ free, minFreeBytes }, "disk space is low, uploads are refused");
    if (!isLow() && wasLow) logger.info({ free, minFreeBytes }, "disk space is sufficient again");
    if (!isStopped) timer = clock.after(CHECK_EVERY_MS, () => void check());
  };
  await check();
  readiness.watchOptional("disk", () =>
    isLow() ? { ok: false, reason: "disk space is low: uploads are refused, messages are accepted" } : { ok: true },
  );
  metrics.beforeScrape((meter) => {
    if (free !== undefined) meter.gauge("disk_free_bytes", free);
    meter.gauge("disk_low", isLow() ? 1 : 0);
  });
  return {
    cancel: () => {
      isStopped = true;
      timer.cancel();
    },
  };
};

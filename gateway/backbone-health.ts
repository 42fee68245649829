import { isRefreshingAdapter } from "../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import { AppError, messageOf } from "../core/contract/app-error.ts";
import type { Backbone } from "../core/contract/ports/backbone.ts";
import type { Clock, Timer } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";

const POLL_EVERY_MS = 100;

/** Resolves once the backbone is healthy; rejects with "stopped" if the signal aborts first. */
export const whenHealthy = (backbone: Backbone, clock: Clock, abortStart: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const check = () => {
      if (abortStart.aborted) reject(new AppError("stopped", "stopped before the backbone could be reached"));
      else if (backbone.health().ok) resolve();
      else clock.after(POLL_EVERY_MS, check);
    };
    check();
  });

interface OutageWatchDeps {
  readonly backbone: Backbone;
  readonly adapters: readonly ChannelAdapter[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The backbone calls back when a connection is lost; the check covers other outages. Shorter periods cost CPU at rest. */
const CHECK_EVERY_MS = 1_000;
const CHECK_OUTAGE_EVERY_MS = 100;

/** Refreshes the adapters after an outage of the backbone, because its signals were lost. */
export const refreshAfterOutage = ({ backbone, adapters, clock, logger }: OutageWatchDeps): Timer => {
  let wasOk = true;
  let timer: Timer | undefined;
  const check = () => {
    const { ok } = backbone.health();
    if (ok && !wasOk) for (const adapter of adapters) refresh(adapter, logger);
    wasOk = ok;
    timer?.cancel();
    timer = clock.after(ok ? CHECK_EVERY_MS : CHECK_OUTAGE_EVERY_MS, check);
  };
  timer = clock.after(CHECK_EVERY_MS, check);
  const listener = backbone.onHealthChange(check);
  return {
    cancel() {
      listener.close();
      timer?.cancel();
    },
  };
};

const refresh = (adapter: ChannelAdapter, logger: Logger): void => {
  if (!isRefreshingAdapter(adapter)) return;
  adapter.refresh().catch((error: unknown) => {
    logger.warn({ channel: adapter.channel, error: messageOf(error) }, "could not refresh channel after an outage");
  });
};

import type { Clock, Timer } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { RunningChannel } from "../relay/index.ts";

const CHECK_EVERY_MS = 500;

/** Logs each change between healthy and degraded once, and calls `changed`. A channel that is starting is neither. */
export const watchChannel = (
  running: RunningChannel,
  { clock, logger, changed }: { clock: Clock; logger: Logger; changed: () => void },
): Timer => {
  const { channel } = running;
  let wasOk = true;
  let timer: Timer;
  const check = () => {
    const health = running.health();
    if (health.ok !== wasOk && (health.ok || !health.starting)) {
      wasOk = health.ok;
      if (health.ok) logger.info({ channel }, "channel recovered");
      else logger.error({ channel, reason: health.reason }, "channel degraded");
      changed();
    }
    timer = clock.after(CHECK_EVERY_MS, check);
  };
  timer = clock.after(CHECK_EVERY_MS, check);
  return { cancel: () => timer.cancel() };
};

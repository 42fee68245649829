import { messageOf } from "../core/contract/app-error.ts";
import type { Clock } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";

type Step = { readonly name: string; readonly run: () => void | Promise<void> };

interface Stopping {
  /** Run at once, before draining. */
  first(name: string, run: Step["run"]): void;
  /** Run concurrently, in the order of registration: each ends its intake and waits for its work in progress. */
  underWay(name: string, run: Step["run"]): void;
  /** Run one after another, latest registration first, once no work is in progress. */
  last(name: string, run: Step["run"]): void;
  /**
   * Always resolves: a step that fails or times out is logged, and the other steps continue. Idempotent.
   * `drainMs`: time to keep serving after the first steps.
   */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}

/** Supervisors send SIGKILL after 30 s; interrupted work is redelivered. */
const DRAIN_AND_UNDER_WAY_MS = 25_000;
const MIN_UNDER_WAY_MS = 5_000;
const LAST_MS = 2_000;

export const createStopping = ({ clock, logger }: { clock: Clock; logger: Logger }): Stopping => {
  const first: Step[] = [];
  const underWay: Step[] = [];
  const last: Step[] = [];

  const runStep = async ({ name, run }: Step, withinMs: number): Promise<void> => {
    try {
      await within(clock, withinMs, Promise.resolve(run()));
    } catch (error) {
      logger.warn({ part: name, reason: messageOf(error) }, "part did not stop cleanly, its work will be redelivered");
    }
  };
  const runAll = async (drainMs: number): Promise<void> => {
    for (const step of first) await runStep(step, LAST_MS);
    if (drainMs > 0) {
      logger.info({ drainMs }, "draining: not ready, still serving");
      await new Promise<void>((resolve) => clock.after(drainMs, resolve));
    }
    const underWayMs = Math.max(MIN_UNDER_WAY_MS, DRAIN_AND_UNDER_WAY_MS - drainMs);
    await Promise.all(underWay.map((step) => runStep(step, underWayMs)));
    for (const step of last.toReversed()) await runStep(step, LAST_MS);
  };

  let stopped: Promise<void> | undefined;
  return {
    first: (name, run) => void first.push({ name, run }),
    underWay: (name, run) => void underWay.push({ name, run }),
    last: (name, run) => void last.push({ name, run }),
    stop: ({ drainMs = 0 } = {}) => {
      stopped ??= runAll(drainMs);
      return stopped;
    },
  };
};

const within = (clock: Clock, ms: number, work: Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => reject(new Error(`timed out after ${ms / 1000} s`)));
    work.then(resolve, reject).finally(() => timer.cancel());
  });

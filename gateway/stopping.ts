import { messageOf } from "../core/contract/app-error.ts";
import type { Clock } from "../core/contract/clock.ts";
import type { Logger } from "../core/contract/logger.ts";

type Step = { readonly name: string; readonly run: () => void | Promise<void> };

export interface Stopping {
  /** At once. */
  first(name: string, run: Step["run"]): void;
  /** Side by side: each ends its intake and waits for what it has under way. */
  underWay(name: string, run: Step["run"]): void;
  /** One after another, the latest added first, once nothing is under way. */
  last(name: string, run: Step["run"]): void;
  /** Always resolves: a step that fails or takes too long is logged, and the rest goes on. May be called again. */
  stop(): Promise<void>;
}

/** Supervisors send SIGKILL after 30 s; what is cut off here is taken up again at the next start. */
const UNDER_WAY_MS = 25_000;
const LAST_MS = 2_000;

export const createStopping = ({ clock, logger }: { clock: Clock; logger: Logger }): Stopping => {
  const first: Step[] = [];
  const underWay: Step[] = [];
  const last: Step[] = [];

  const runStep = async ({ name, run }: Step, withinMs: number): Promise<void> => {
    try {
      await within(clock, withinMs, Promise.resolve(run()));
    } catch (error) {
      logger.warn({ part: name, reason: messageOf(error) }, "a part did not stop cleanly; its work is taken up later");
    }
  };
  const runAll = async (): Promise<void> => {
    for (const step of first) await runStep(step, LAST_MS);
    await Promise.all(underWay.map((step) => runStep(step, UNDER_WAY_MS)));
    for (const step of last.toReversed()) await runStep(step, LAST_MS);
  };

  let stopped: Promise<void> | undefined;
  return {
    first: (name, run) => void first.push({ name, run }),
    underWay: (name, run) => void underWay.push({ name, run }),
    last: (name, run) => void last.push({ name, run }),
    stop: () => {
      stopped ??= runAll();
      return stopped;
    },
  };
};

const within = (clock: Clock, ms: number, work: Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => reject(new Error(`not done within ${ms / 1000} s`)));
    work.then(resolve, reject).finally(() => timer.cancel());
  });

import type { Clock } from "../contract/clock.ts";
import { raceAbort } from "../lib/index.ts";
import type { ChangeEvents } from "./change-events.ts";

/** News can get lost, so the records are looked at this often all the same. */
const LOOK_AGAIN_MS = 3_000;

export interface ChangeWait<T> {
  readonly clock: Clock;
  readonly events: Pick<ChangeEvents<{ readonly id: string }>, "watch">;
  readonly ids: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  read(): Promise<T>;
  /** Looked at on every change. */
  isDone(value: T): boolean;
}

/** What is read once it is done, or when the time is up. Rejects if the signal is aborted. */
export const waitForChange = async <T>(wait: ChangeWait<T>): Promise<T> => {
  const { clock, timeoutMs, signal } = wait;
  const until = clock.monotonic() + timeoutMs;
  for (;;) {
    const changed = nextChange(wait);
    try {
      const value = await wait.read();
      const leftMs = until - clock.monotonic();
      if (leftMs <= 0 || wait.isDone(value)) return value;
      changed.orAfter(Math.min(leftMs, LOOK_AGAIN_MS));
      await raceAbort(changed.promise, signal);
    } finally {
      changed.cancel();
    }
  }
};

/** Listens from now on, so that nothing slips between looking and listening. */
const nextChange = ({ events, clock, ids }: Pick<ChangeWait<unknown>, "events" | "clock" | "ids">) => {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const unwatch = events.watch(ids, resolve);
  let timer = { cancel() {} };
  return {
    promise,
    orAfter(ms: number) {
      timer = clock.after(ms, resolve);
    },
    cancel() {
      timer.cancel();
      unwatch();
    },
  };
};

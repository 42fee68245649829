import type { Clock } from "../../core/contract/ports/clock.ts";
import type { AnswerTo } from "../admin-api/index.ts";
import type { LogTail, TailLine } from "../telemetry/index.ts";

type ChannelLog = AnswerTo<"GET channels/:channel/log">;
type Level = TailLine["level"];

const LEVELS: readonly Level[] = ["debug", "info", "warn", "error"];
/** Lines that wait for one reader; a slow reader loses the oldest and gets their number. */
const MAX_WAITING = 500;
/** Lines that follow each other closely are sent together. */
const BATCH_MS = 200;
/** Proxies close a stream that is silent for a minute. */
const IDLE_MS = 15_000;
/** The client connects again, with a token that is still valid. */
const MAX_STREAM_MS = 10 * 60_000;

interface Following {
  readonly tail: LogTail;
  readonly clock: Clock;
  readonly channel: string;
  readonly lowest: Level;
  readonly instance: string;
  /** The level that the process logs at. */
  readonly logLevel: () => string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Yields the last lines of a channel, then further ones in batches; undefined if there are none for a while. */
export async function* channelLogEvents(following: Following): AsyncGenerator<ChannelLog | undefined> {
  const { tail, clock, channel, lowest, instance, logLevel, signal } = following;
  const isShown = ({ level }: TailLine): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(lowest);
  let waiting: TailLine[] = tail.linesOf(channel).filter(isShown);
  let dropped = 0;
  let wake = (): void => undefined;
  const stop = tail.listen(channel, (line) => {
    if (!isShown(line)) return;
    waiting.push(line);
    if (waiting.length > MAX_WAITING) {
      waiting.shift();
      dropped++;
    }
    wake();
  });
  signal.addEventListener("abort", () => wake());
  const endAt = clock.monotonic() + MAX_STREAM_MS;
  const taken = (): ChannelLog => {
    const batch = { instance, run: tail.run, logLevel: logLevel(), lines: waiting, dropped };
    waiting = [];
    dropped = 0;
    return batch;
  };
  const pause = (ms: number, isWoken: boolean): Promise<void> =>
    new Promise((resolve) => {
      const timer = clock.after(ms, resolve);
      if (isWoken)
        wake = () => {
          timer.cancel();
          resolve();
        };
    });
  try {
    // At once, also without lines, so that the reader knows the process.
    yield taken();
    while (!signal.aborted && clock.monotonic() < endAt) {
      if (waiting.length === 0) await pause(IDLE_MS, true);
      wake = () => undefined;
      if (signal.aborted) return;
      if (waiting.length > 0) await pause(BATCH_MS, false);
      yield waiting.length > 0 ? taken() : undefined;
    }
  } finally {
    stop();
  }
}

import { closeCodes } from "../protocol-constants.ts";

/** Exponential backoff; half of it is jitter. */
export const backoffMs = (failures: number, firstMs: number, maxMs: number): number => {
  const ms = Math.min(maxMs, firstMs * 2 ** failures);
  return ms / 2 + (Math.random() * ms) / 2;
};

/**
 * Delay before a reconnect by close code, as docs/protocol.md defines it. A person who looks at the chat is connected
 * within two seconds after the gateway is back; an attempt at a gateway that is down costs it nothing.
 */
export class ReconnectBackoff {
  #failures = 0;

  reset(): void {
    this.#failures = 0;
  }

  nextMs(code: number, isWatched: boolean): number {
    if (code === closeCodes.restarting && this.#failures === 0) return Math.random() * MAX_WATCHED_MS;
    if (code === closeCodes.visitorFull || code === closeCodes.tooFast) return MAX_MS;
    // A gateway that refuses because it is full needs the longer pauses.
    const maxMs = isWatched && code !== closeCodes.tryLater && this.#failures < MAX_FAST ? MAX_WATCHED_MS : MAX_MS;
    return backoffMs(this.#failures++, 500, maxMs);
  }
}

const MAX_WATCHED_MS = 2_000;
const MAX_MS = 30_000;
/** About five minutes of fast attempts. */
const MAX_FAST = 200;

/** The code that browsers report when no close frame was received. */
export const ABNORMAL_CLOSE = 1006;
/** The gateway does not understand this client, so reconnecting would not help. */
export const FATAL_CODES: ReadonlySet<number> = new Set([
  closeCodes.binary,
  closeCodes.notUtf8,
  closeCodes.tooManyBadFrames,
]);

import { closeCodes } from "../protocol-constants.ts";

/** Exponential backoff; half of it is jitter. */
export const backoffMs = (failures: number, firstMs: number, maxMs: number): number => {
  const ms = Math.min(maxMs, firstMs * 2 ** failures);
  return ms / 2 + (Math.random() * ms) / 2;
};

/** Delay before a reconnect by close code, as docs/protocol.md defines it. */
export class ReconnectBackoff {
  #failures = 0;

  reset(): void {
    this.#failures = 0;
  }

  nextMs(code: number): number {
    if (code === closeCodes.restarting && this.#failures === 0) return Math.random() * 2_000;
    if (code === closeCodes.visitorFull || code === closeCodes.tooFast) return 30_000;
    return backoffMs(this.#failures++, 500, 30_000);
  }
}

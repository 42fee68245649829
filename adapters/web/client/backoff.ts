import { closeCodes } from "../protocol-constants.ts";

/** How long to stay away after a close; docs/protocol.md says why. */
export class ReconnectPause {
  #failures = 0;

  reset(): void {
    this.#failures = 0;
  }

  nextMs(code: number): number {
    if (code === closeCodes.restarting && this.#failures === 0) return Math.random() * 2_000;
    if (code === closeCodes.visitorFull || code === closeCodes.tooFast) return 30_000;
    const longest = Math.min(30_000, 500 * 2 ** this.#failures++);
    return longest / 2 + (Math.random() * longest) / 2;
  }
}

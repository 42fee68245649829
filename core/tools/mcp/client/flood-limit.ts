import type { Clock } from "../../../contract/ports/clock.ts";

/** The largest message of a server. Results are bounded further when they are read. */
export const MAX_MESSAGE_BYTES = 16_000_000;
/** A server that sends more would keep this process busy. */
const MAX_MESSAGES_PER_SECOND = 2_000;
/** Four of the largest messages at once; after them, one every two seconds. */
const MAX_BURST_BYTES = 4 * MAX_MESSAGE_BYTES;
const MAX_BYTES_PER_SECOND = MAX_MESSAGE_BYTES / 2;
const SECOND_MS = 1_000;

/** Counts what a server sends, also what its transport ignores, such as empty lines. */
export class FloodLimit {
  readonly #clock: Pick<Clock, "monotonic">;
  #second = -1;
  #messages = 0;
  #countedAt = 0;
  #bytes = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** The rule that the server has broken by now; undefined if it sends a reasonable amount. */
  add(messages: number, bytes: number): string | undefined {
    const now = this.#clock.monotonic();
    const second = Math.floor(now / SECOND_MS);
    if (second !== this.#second) this.#messages = 0;
    this.#second = second;
    this.#messages += messages;
    if (this.#messages > MAX_MESSAGES_PER_SECOND)
      return `it sent more than ${MAX_MESSAGES_PER_SECOND} messages in a second`;
    const passed = (MAX_BYTES_PER_SECOND * (now - this.#countedAt)) / SECOND_MS;
    this.#bytes = Math.max(0, this.#bytes - passed) + bytes;
    this.#countedAt = now;
    return this.#bytes > MAX_BURST_BYTES ? `it sent more than ${MAX_BURST_BYTES} bytes in a few seconds` : undefined;
  }
}

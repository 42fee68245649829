import type { Msg, Subscription } from "nats";
import { nanos } from "nats";
import type { Clock, Timer } from "../../contract/clock.ts";
import type { AckAddress } from "./ack-address.ts";
import { ackAddress } from "./ack-address.ts";
import type { NatsSession } from "./nats-session.ts";

export interface ReaderParts {
  readonly session: NatsSession;
  readonly clock: Clock;
  readonly stream: string;
  readonly consumer: string;
  message(message: Msg, address: AckAddress, reply: string): void;
  /** False while so much waits here that no more should be asked for. */
  wantsMore(): boolean;
  /** The consumer is no longer there, or has been silent for so long that it seems so. */
  gone(): void;
}

/** Keeps asking one consumer for messages: a few hundred ahead, so that the next is here before the last has ended. */
export class PullReader {
  readonly #parts: ReaderParts;
  readonly #inbox: string;
  readonly #subscription: Subscription;
  #asked = 0;
  #watchdog: Timer | undefined;
  #heardAt: number;
  #stopped = false;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#inbox = parts.session.newInbox();
    this.#heardAt = parts.clock.monotonic();
    this.#subscription = parts.session.nc.subscribe(this.#inbox, { callback: (error, msg) => this.#take(error, msg) });
    this.#ask();
    this.#watch();
  }

  /** Something that wantsMore() depends on has changed. */
  wake(): void {
    if (this.#asked <= REFILL_AT) this.#ask();
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#watchdog?.cancel();
    if (this.#parts.session.isOpen) this.#subscription.unsubscribe();
  }

  #ask(): void {
    const { session, stream, consumer } = this.#parts;
    if (this.#stopped || !session.isOpen || !this.#parts.wantsMore()) return;
    const batch = AHEAD - this.#asked;
    if (batch <= 0) return;
    if (this.#asked === 0) this.#heardAt = this.#parts.clock.monotonic();
    this.#asked += batch;
    const request = { batch, expires: nanos(EXPIRES_MS), idle_heartbeat: nanos(HEARTBEAT_MS) };
    session.nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, JSON.stringify(request), {
      reply: this.#inbox,
    });
  }

  #take(error: Error | null, message: Msg): void {
    if (this.#stopped) return;
    this.#heardAt = this.#parts.clock.monotonic();
    const reply = message?.reply;
    const address = reply ? ackAddress(reply) : undefined;
    if (error) this.#parts.gone();
    else if (reply === undefined || address === undefined) this.#status(message);
    else {
      this.#asked = Math.max(0, this.#asked - 1);
      this.#parts.message(message, address, reply);
      this.wake();
    }
  }

  #status({ headers }: Msg): void {
    const code = headers?.code ?? 0;
    if (code === 100) return;
    if (code === 404 || code === 503 || /consumer deleted/i.test(headers?.description ?? "")) {
      this.#parts.gone();
      return;
    }
    const left = Number(headers?.get("Nats-Pending-Messages") || this.#asked);
    this.#asked = Math.max(0, this.#asked - left);
    // An expired request is renewed at once; a refused one (too many unacknowledged) when the watchdog looks.
    if (code === 408) this.wake();
  }

  #watch(): void {
    this.#watchdog = this.#parts.clock.after(WATCHDOG_MS, () => {
      // The server says nothing about a consumer that is not there, and its word that it was deleted may be lost.
      if (this.#asked > 0 && this.#parts.clock.monotonic() - this.#heardAt > LONGEST_SILENCE_MS) {
        this.#parts.gone();
        return;
      }
      this.wake();
      this.#watch();
    });
  }
}

const AHEAD = 256;
const REFILL_AT = 128;
const EXPIRES_MS = 30_000;
const HEARTBEAT_MS = 10_000;
const WATCHDOG_MS = 2_000;
const LONGEST_SILENCE_MS = 2 * HEARTBEAT_MS + WATCHDOG_MS;

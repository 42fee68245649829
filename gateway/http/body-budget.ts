/** Bytes of a body up to here are small: platforms and agents rarely send more, uploads do. */
const SMALL_BYTES = 64_000;
/** No address may hold less than this, so that the largest upload fits. */
const MIN_OF_ADDRESS = 25_000_000;
/** When memory is short, bodies slower than this are cut, unless they began a moment ago. */
const SLOW_BYTES_PER_MS = 64;
const SLOW_AFTER_MS = 2_000;
/** Looking for slow bodies costs a pass over all of them. */
const LOOK_AGAIN_AFTER_MS = 100;
/** At any time: the least average rate, and the longest pause. */
const MIN_BYTES_PER_MS = 4;
const MIN_RATE_AFTER_MS = 5_000;
const MAX_PAUSE_MS = 10_000;

export interface Sender {
  /** Limits count by this. */
  readonly key: string;
  /** How many times the limit of one address applies. */
  readonly allowance: number;
  /** It has shown a valid credential before its body was read. */
  readonly isAuthenticated: boolean;
}

/** One request body that is arriving, or that a handler works with. */
export interface ArrivingBody {
  /** False: there is no room for these bytes, and the body must be refused. */
  receive(bytes: number, now: number): boolean;
  /** All of it has arrived: it is never cut from now on. */
  complete(): void;
  /** Its memory is free again. May be called twice. */
  release(): void;
}

interface Entry {
  readonly sender: Sender;
  readonly startedAt: number;
  readonly cut: () => void;
  lastAt: number;
  bytes: number;
}

/**
 * How many bytes of bodies may be in memory at once, counted as they arrive: announcing a body costs nothing. Senders
 * without a credential leave an eighth to those with one; bytes of large bodies take at most half; an address takes at
 * most an eighth. When it is full, slow bodies make room for others.
 */
export class BodyBudget {
  readonly #max: number;
  readonly #arriving = new Set<Entry>();
  readonly #ofAddress = new Map<string, number>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #bytes = 0;
  #strangerBytes = 0;
  #strangerLargeBytes = 0;

  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  /** Bytes in memory now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bodies that have not arrived completely. */
  get arriving(): number {
    return this.#arriving.size;
  }

  /** `cut` is called at most once, when the body is too slow. */
  begin(sender: Sender, now: number, cut: () => void): ArrivingBody {
    const entry: Entry = { sender, startedAt: now, lastAt: now, bytes: 0, cut };
    this.#arriving.add(entry);
    return {
      receive: (bytes, at) => this.#receive(entry, bytes, at),
      complete: () => void this.#arriving.delete(entry),
      release: () => this.#release(entry),
    };
  }

  /** Cuts every body that is below the least rate or pauses too long. To be called about once a second. */
  cutStalled(now: number): void {
    this.#cut(({ startedAt, lastAt, bytes }) => {
      const ageMs = now - startedAt;
      return (ageMs > MIN_RATE_AFTER_MS && bytes < ageMs * MIN_BYTES_PER_MS) || now - lastAt > MAX_PAUSE_MS;
    });
  }

  #receive(entry: Entry, bytes: number, now: number): boolean {
    if (!this.#fits(entry, bytes)) {
      this.#cutSlowBodies(entry, now);
      if (!this.#fits(entry, bytes)) return false;
    }
    this.#change(entry, bytes);
    entry.lastAt = now;
    return true;
  }

  #cutSlowBodies(entry: Entry, now: number): void {
    if (now - this.#lookedAt < LOOK_AGAIN_AFTER_MS) return;
    this.#lookedAt = now;
    this.#cut((other) => other !== entry && isSlowStranger(other, now));
  }

  #fits(entry: Entry, bytes: number): boolean {
    const { key, allowance, isAuthenticated } = entry.sender;
    if (this.#bytes + bytes > this.#max) return false;
    if (isAuthenticated) return true;
    const ofStrangers = (this.#max * 7) / 8;
    const ofAddress = Math.min(ofStrangers, Math.max(this.#max / 8, MIN_OF_ADDRESS) * allowance);
    return (
      this.#strangerBytes + bytes <= ofStrangers &&
      this.#strangerLargeBytes + largeBytes(entry.bytes + bytes) - largeBytes(entry.bytes) <= this.#max / 2 &&
      (this.#ofAddress.get(key) ?? 0) + bytes <= ofAddress
    );
  }

  #change(entry: Entry, bytes: number): void {
    const large = largeBytes(entry.bytes + bytes) - largeBytes(entry.bytes);
    entry.bytes += bytes;
    this.#bytes += bytes;
    if (entry.sender.isAuthenticated) return;
    this.#strangerBytes += bytes;
    this.#strangerLargeBytes += large;
    const ofAddress = (this.#ofAddress.get(entry.sender.key) ?? 0) + bytes;
    if (ofAddress > 0) this.#ofAddress.set(entry.sender.key, ofAddress);
    else this.#ofAddress.delete(entry.sender.key);
  }

  #release(entry: Entry): void {
    this.#arriving.delete(entry);
    this.#change(entry, -entry.bytes);
  }

  #cut(isMeant: (entry: Entry) => boolean): void {
    for (const entry of this.#arriving) {
      if (!isMeant(entry)) continue;
      this.#release(entry);
      entry.cut();
    }
  }
}

const largeBytes = (bytes: number): number => Math.max(0, bytes - SMALL_BYTES);

const isSlowStranger = ({ sender, startedAt, bytes }: Entry, now: number): boolean =>
  !sender.isAuthenticated && now - startedAt > SLOW_AFTER_MS && bytes < (now - startedAt) * SLOW_BYTES_PER_MS;

/** Bodies up to this size are small; platforms and agents rarely send larger ones, except uploads. */
const SMALL_BYTES = 64_000;
/** Minimum limit of one address, so that the largest upload fits. */
const MIN_ADDRESS_LIMIT = 25_000_000;
/** When the budget is exhausted, bodies slower than this are aborted, unless they began less than SLOW_AFTER_MS ago. */
const SLOW_BYTES_PER_MS = 64;
const SLOW_AFTER_MS = 2_000;
/** A search for slow bodies iterates over all of them. */
const SEARCH_EVERY_MS = 100;
/** Minimum average rate and maximum pause of every body. */
const MIN_BYTES_PER_MS = 4;
const MIN_RATE_AFTER_MS = 5_000;
const MAX_PAUSE_MS = 10_000;

export interface Sender {
  /** Identifies the client address for limits. */
  readonly key: string;
  /** Multiplies the limit of one address. */
  readonly allowance: number;
  /** The request had a valid credential, checked before its body was read. */
  readonly isAuthenticated: boolean;
}

/** A request body that is arriving or in use by a handler. */
export interface ArrivingBody {
  /** False: the budget is exhausted, and the body must be refused. */
  receive(bytes: number, now: number): boolean;
  /** The whole body has arrived, so it is no longer aborted. */
  complete(): void;
  /** Returns its bytes to the budget. Idempotent. */
  release(): void;
}

interface Entry {
  readonly sender: Sender;
  readonly startedAt: number;
  readonly abort: () => void;
  lastAt: number;
  bytes: number;
}

/**
 * Limits the bytes of request bodies in memory, counted as they arrive, not as announced. An eighth is reserved for
 * authenticated senders; for others, large bodies use at most half and one address at most an eighth. When the budget
 * is exhausted, slow bodies are aborted.
 */
export class BodyBudget {
  readonly #max: number;
  readonly #arriving = new Set<Entry>();
  readonly #addressBytes = new Map<string, number>();
  #searchedAt = Number.NEGATIVE_INFINITY;
  #bytes = 0;
  #anonymousBytes = 0;
  #anonymousLargeBytes = 0;

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

  /** `abort` is called at most once, when the body is too slow. */
  begin(sender: Sender, now: number, abort: () => void): ArrivingBody {
    const entry: Entry = { sender, startedAt: now, lastAt: now, bytes: 0, abort };
    this.#arriving.add(entry);
    return {
      receive: (bytes, at) => this.#receive(entry, bytes, at),
      complete: () => void this.#arriving.delete(entry),
      release: () => this.#release(entry),
    };
  }

  /** Aborts every body that is below the minimum rate or pauses too long. Call it about once a second. */
  abortStalled(now: number): void {
    this.#abort(({ startedAt, lastAt, bytes }) => {
      const ageMs = now - startedAt;
      return (ageMs > MIN_RATE_AFTER_MS && bytes < ageMs * MIN_BYTES_PER_MS) || now - lastAt > MAX_PAUSE_MS;
    });
  }

  #receive(entry: Entry, bytes: number, now: number): boolean {
    if (!this.#fits(entry, bytes)) {
      this.#abortSlowBodies(entry, now);
      if (!this.#fits(entry, bytes)) return false;
    }
    this.#change(entry, bytes);
    entry.lastAt = now;
    return true;
  }

  #abortSlowBodies(entry: Entry, now: number): void {
    if (now - this.#searchedAt < SEARCH_EVERY_MS) return;
    this.#searchedAt = now;
    this.#abort((other) => other !== entry && isSlow(other, now));
  }

  #fits(entry: Entry, bytes: number): boolean {
    const { key, allowance, isAuthenticated } = entry.sender;
    if (this.#bytes + bytes > this.#max) return false;
    if (isAuthenticated) return true;
    const anonymousLimit = (this.#max * 7) / 8;
    const addressLimit = Math.min(anonymousLimit, Math.max(this.#max / 8, MIN_ADDRESS_LIMIT) * allowance);
    return (
      this.#anonymousBytes + bytes <= anonymousLimit &&
      this.#anonymousLargeBytes + largeBytes(entry.bytes + bytes) - largeBytes(entry.bytes) <= this.#max / 2 &&
      (this.#addressBytes.get(key) ?? 0) + bytes <= addressLimit
    );
  }

  #change(entry: Entry, bytes: number): void {
    const large = largeBytes(entry.bytes + bytes) - largeBytes(entry.bytes);
    entry.bytes += bytes;
    this.#bytes += bytes;
    if (entry.sender.isAuthenticated) return;
    this.#anonymousBytes += bytes;
    this.#anonymousLargeBytes += large;
    const ofAddress = (this.#addressBytes.get(entry.sender.key) ?? 0) + bytes;
    if (ofAddress > 0) this.#addressBytes.set(entry.sender.key, ofAddress);
    else this.#addressBytes.delete(entry.sender.key);
  }

  #release(entry: Entry): void {
    this.#arriving.delete(entry);
    this.#change(entry, -entry.bytes);
  }

  #abort(matches: (entry: Entry) => boolean): void {
    for (const entry of this.#arriving) {
      if (!matches(entry)) continue;
      this.#release(entry);
      entry.abort();
    }
  }
}

const largeBytes = (bytes: number): number => Math.max(0, bytes - SMALL_BYTES);

const isSlow = ({ sender, startedAt, bytes }: Entry, now: number): boolean =>
  !sender.isAuthenticated && now - startedAt > SLOW_AFTER_MS && bytes < (now - startedAt) * SLOW_BYTES_PER_MS;

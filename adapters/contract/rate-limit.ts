import { BoundedCache } from "../../core/contract/bounded-cache.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";

/**
 * Token bucket: allows a burst, then a steady rate. It holds no state; the state of one client is a single number,
 * the time at which its bucket is full again (0 at first).
 */
export class RateLimit {
  readonly #eachMs: number;
  readonly #burstMs: number;

  constructor(perSecond: number, burst: number) {
    this.#eachMs = 1_000 / perSecond;
    this.#burstMs = burst * this.#eachMs + ROUNDING_MS;
  }

  /** A burst of `count`, refilled within a minute. */
  static perMinute(count: number): RateLimit {
    return new RateLimit(count / 60, count);
  }

  /** The client's new state after one more request; undefined if the request exceeds the limit. */
  take(fullAt: number, now: number): number | undefined {
    return this.waitMs(fullAt, now) > 0 ? undefined : Math.max(fullAt, now) + this.#eachMs;
  }

  /** The time in which one request is refilled. */
  get eachMs(): number {
    return this.#eachMs;
  }

  /** Time until one more request is allowed. */
  waitMs(fullAt: number, now: number): number {
    return Math.max(0, Math.max(fullAt, now) + this.#eachMs - now - this.#burstMs);
  }
}

const ROUNDING_MS = 0.001;

/** Joins the use of a rate limit with that of other gateways. It may lose a part of it. */
export interface RateShare {
  /** Announces that `key` was used here, as the time in which the use is refilled; negative if it is undone. */
  announce(key: string, ms: number): void;
  /** Calls `apply` for the use in other gateways. */
  onAnnounced(apply: (key: string, ms: number) => void): void;
}

/** Rate limit state by key: account, address, caller. Evicts the key that has been idle longest. */
export class KeyedRates {
  readonly #fullAt = new BoundedCache<string, number>(MAX_KEYS);
  readonly #share: RateShare | undefined;

  /** With `share` and `clock`, requests to other gateways count too. */
  constructor(share?: RateShare, clock?: Clock) {
    this.#share = share;
    if (clock) share?.onAnnounced((key, ms) => this.add(key, ms, clock.monotonic()));
  }

  /** Returns 0 if the request is allowed, else the milliseconds after which it would be. */
  take(key: string, limit: RateLimit, now: number): number {
    const before = this.#fullAt.get(key) ?? 0;
    const after = limit.take(before, now);
    this.#fullAt.set(key, after ?? before);
    if (after !== undefined) this.#share?.announce(key, limit.eachMs);
    return after === undefined ? limit.waitMs(before, now) : 0;
  }

  /** Counts use that another gateway has admitted. */
  add(key: string, ms: number, now: number): void {
    this.#fullAt.set(key, Math.max(this.#fullAt.get(key) ?? 0, now) + ms);
  }

  /** The wait that `take` would return now; takes nothing. */
  waitMs(key: string, limit: RateLimit, now: number): number {
    return limit.waitMs(this.#fullAt.get(key) ?? 0, now);
  }
}

/** A few megabytes at most. */
const MAX_KEYS = 50_000;

/** A rate limit per client address; loopback gets a multiple of it (`allowanceOf`). */
export class AddressRates {
  readonly #limitOf: (allowance: number) => RateLimit;
  readonly #limits = new Map<number, RateLimit>();
  readonly #rates = new KeyedRates();

  constructor(perSecond: number, burst: number) {
    this.#limitOf = (allowance) => new RateLimit(perSecond * allowance, burst * allowance);
  }

  /** Returns 0 if the request is allowed, else the milliseconds after which it would be. */
  take(address: string, now: number, key = addressKey(address)): number {
    const allowance = allowanceOf(address);
    const limit = this.#limits.get(allowance) ?? this.#limitOf(allowance);
    this.#limits.set(allowance, limit);
    return this.#rates.take(key, limit, now);
  }
}

/** The key of an address in rate limits: an IPv4 address, or the /64 network of an IPv6 address, which one client owns. */
export const addressKey = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4).join(":");
};

const groupsOf = (part: string): string[] => part.split(":").filter((group) => group !== "");

export const isLoopback = (address: string): boolean => /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/i.test(address);

/**
 * Factor by which the limits per address apply. Loopback stands for everything on this machine: the operator's tools,
 * or all visitors of a local proxy that `trustedProxies` does not name.
 */
export const allowanceOf = (address: string): number => (isLoopback(address) ? LOOPBACK_ALLOWANCE : 1);

const LOOPBACK_ALLOWANCE = 10;

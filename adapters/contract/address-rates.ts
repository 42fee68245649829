import { KeyedRates, RateLimit } from "./rate-limit.ts";

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

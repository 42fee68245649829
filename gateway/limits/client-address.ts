import type { IncomingHttpHeaders } from "node:http";
import { addressKey, isLoopback } from "../../adapters/contract/address-rates.ts";

/** The parts of a request that tell where it comes from; `ip` is the address that a trusted proxy named, if there is one. */
export interface Origin {
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
}

const FORWARDING = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

export const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  FORWARDING.some((name) => headers[name] !== undefined);

/** Limits count requests by this. Requests through an undeclared local proxy never share a key with local tools. */
export const clientKey = ({ ip, headers }: Origin): string =>
  isLoopback(ip) && isForwarded(headers) ? `${addressKey(ip)} (forwarded)` : addressKey(ip);

/**
 * A program on this machine that asked directly. The Host is checked as well: a proxy may add no header, and a web page
 * can make its own name resolve to 127.0.0.1.
 */
export const isLocalClient = ({ ip, headers }: Origin): boolean =>
  isLoopback(ip) && !isForwarded(headers) && isLoopbackName(headers.host ?? "");

export const isLoopbackName = (host: string): boolean =>
  /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)(:\d+)?$/i.test(host) || host === "::1";

import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import type { FastifyInstance } from "fastify";
import { addressKey, isLoopback } from "../../../adapters/contract/address-rates.ts";
import type { Logger } from "../../../core/contract/logger.ts";

/** The parts of a request that tell where it comes from; `ip` is the address that a trusted proxy named, if there is one. */
export interface Origin {
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
}

const FORWARDING = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

const isForwarded = (headers: IncomingHttpHeaders): boolean => FORWARDING.some((name) => headers[name] !== undefined);

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

/** Whether an address is in one of these networks; a network is an address, or one with its length. */
export const networksOf = (networks: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList();
  for (const each of networks) {
    const [network = "", bits] = each.split("/");
    const family = isIPv6(network) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(bits), family);
  }
  return (address) => list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
};

/** Where a deployment's own proxies are. A stranger elsewhere can send any header and must not cause a warning. */
const isInside = networksOf([
  ...["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16"],
  ...["::1", "fc00::/7", "fe80::/10"],
]);

/** Warns once if requests come through a proxy that `trustedProxies` does not name. */
export const warnOfUndeclaredProxy = (
  app: FastifyInstance,
  trustedProxies: readonly string[],
  logger: Logger,
): void => {
  const isTrusted = networksOf(trustedProxies);
  let warned = false;
  app.addHook("onRequest", (request, _reply, done) => {
    if (!warned && isForwarded(request.headers)) {
      const proxy = request.socket.remoteAddress?.replace(/^::ffff:/i, "") ?? "";
      if (isInside(proxy) && !isTrusted(proxy)) {
        warned = true;
        const trusted = JSON.stringify([...trustedProxies, proxy]);
        logger.warn(
          { proxy, advice: `if this proxy is yours, set gateway.trustedProxies to ${trusted}` },
          "requests come through an undeclared proxy, so its visitors share the limits of one address",
        );
      }
    }
    done();
  });
};

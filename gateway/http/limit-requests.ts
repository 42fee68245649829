import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AddressRates, addressKey, allowanceOf, isLoopback } from "../../adapters/contract/rate-limit.ts";
import type { GatewayLimits } from "../../config/index.ts";
import type { Clock, Timer } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { BodyBudget } from "./body-budget.ts";
import { httpError } from "./error-responses.ts";

/** The source of a request; behind a trusted proxy, `ip` is the address that the proxy reports. */
interface RequestSource {
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
}

const FORWARDING = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

const isForwarded = (headers: IncomingHttpHeaders): boolean => FORWARDING.some((name) => headers[name] !== undefined);

/** The key for limits. Requests through an undeclared local proxy never share a key with local programs. */
export const clientKey = ({ ip, headers }: RequestSource): string =>
  isLoopback(ip) && isForwarded(headers) ? `${addressKey(ip)} (forwarded)` : addressKey(ip);

/**
 * Whether a program on this machine sent the request directly. The Host is checked as well, because a proxy may add no
 * header, and a web page can make its own name resolve to 127.0.0.1.
 */
export const isLocalClient = ({ ip, headers }: RequestSource): boolean =>
  isLoopback(ip) && !isForwarded(headers) && isLoopbackName(headers.host ?? "");

export const isLoopbackName = (host: string): boolean =>
  /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)(:\d+)?$/i.test(host) || host === "::1";

/** Returns whether an address is in one of the networks, each an address or a CIDR range. */
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

/** Private networks, where a deployment's own proxies are. Public clients can send any header, so they cause no warning. */
const isPrivateAddress = networksOf([
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
      if (isPrivateAddress(proxy) && !isTrusted(proxy)) {
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

type Limits = Pick<GatewayLimits, "requestsPerSecond" | "requestBurst">;

/** Refuses requests of an address above its rate limit, before any other work. */
export const limitRequests = (app: FastifyInstance, limits: Limits, clock: Clock): void => {
  const rates = new AddressRates(limits.requestsPerSecond, limits.requestBurst);
  app.addHook("onRequest", (request, reply, done) => {
    const waitMs = rates.take(request.ip, clock.monotonic(), clientKey(request));
    if (waitMs === 0) return done();
    const seconds = String(Math.ceil(waitMs / 1_000));
    reply.code(429).header("retry-after", seconds).send(TOO_OFTEN.body);
  });
};

const TOO_OFTEN = httpError(429, "rate-limited", "Too many requests from this address: wait a little.");

const CHECK_EVERY_MS = 1_000;

/** Counts request bodies as they arrive; refuses those that exceed the budget and aborts those that stall (F38). */
export const limitBodies = (app: FastifyInstance, maxBytes: number, clock: Clock): void => {
  const budget = new BodyBudget(maxBytes);
  let timer: Timer | undefined;
  const check = () => {
    budget.abortStalled(clock.monotonic());
    timer = budget.arriving > 0 ? clock.after(CHECK_EVERY_MS, check) : undefined;
  };
  app.addHook("onClose", async () => timer?.cancel());
  // Fastify attaches its own parser in the same tick, so no chunk is missed there.
  app.addHook("preParsing", (request, reply, payload, done) => {
    if (hasBody(request)) {
      const body = budget.begin(senderOf(request), clock.monotonic(), () => refuse(reply, TOO_SLOW));
      payload.on("data", (chunk: Buffer) => {
        if (!body.receive(chunk.length, clock.monotonic())) refuse(reply, TOO_MUCH);
      });
      payload.once("end", body.complete);
      reply.raw.once("close", body.release);
      timer ??= clock.after(CHECK_EVERY_MS, check);
    }
    done(null, payload);
  });
};

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

const senderOf = (request: FastifyRequest) => ({
  key: clientKey(request),
  allowance: allowanceOf(request.ip),
  isAuthenticated: isAuthenticated(request),
});

/** Closes the connection after the response, because the rest of the body would follow on it. */
const refuse = (reply: FastifyReply, { status, body }: ReturnType<typeof httpError>): void => {
  if (reply.sent) return;
  reply.code(status).header("connection", "close").header("retry-after", "2").send(body);
};

const TOO_SLOW = httpError(408, "timeout", "The body of the request arrives too slowly.");
const TOO_MUCH = httpError(503, "unavailable", "The server is receiving too much data: try again in a moment.");

const authenticated = new WeakSet<IncomingHttpHeaders>();

/** Marks a request with a valid credential. Its headers object identifies it, because requests are copied on the way. */
export const markAuthenticated = ({ headers }: { readonly headers: IncomingHttpHeaders }): void =>
  void authenticated.add(headers);

const isAuthenticated = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean => authenticated.has(headers);

import type { FastifyInstance } from "fastify";
import type { Logger } from "../../core/contract/logger.ts";
import { isForwarded } from "./client-address.ts";
import { networksOf } from "./networks.ts";

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

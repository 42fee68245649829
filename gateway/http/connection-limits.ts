import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { addressKey, allowanceOf } from "../../adapters/contract/rate-limit.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { networksOf } from "./limit-requests.ts";
import { MinuteReport } from "./minute-report.ts";

export interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
}

interface ConnectionLimitDeps {
  readonly limits?: ConnectionLimits | undefined;
  readonly trustedProxies?: readonly string[] | undefined;
  readonly logger: Logger;
  readonly clock?: Clock;
}

/** For the port of a core process, which serves health and metrics only. */
const CORE_LIMITS: ConnectionLimits = { connections: 1_000, connectionsPerAddress: 100 };
/** Timeout for the headers of a request, and for the first request of a connection. */
const HEADERS_TIMEOUT_MS = 10_000;

/**
 * Limits the connections per address and in total (F21). At the total limit, the connection that has been idle longest is
 * closed, so that idle connections do not block other clients. Trusted proxies count only towards the total.
 */
export const limitConnections = (server: Server, deps: ConnectionLimitDeps): void => {
  const { limits = CORE_LIMITS, trustedProxies = [], logger, clock = systemClock } = deps;
  server.headersTimeout = Math.min(HEADERS_TIMEOUT_MS, server.requestTimeout);
  const isTrusted = networksOf(trustedProxies);
  const open = new Map<string, number>();
  /** Connections without a request in progress, the longest idle first. */
  const idle = new Set<Socket>();
  let total = 0;
  const report = new MinuteReport({
    clock,
    report: ({ address, counts }) => logger.warn({ address, ...counts }, "connections refused"),
  });

  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const key = addressKey(address);
    const trusted = isTrusted(address);
    const ofAddress = open.get(key) ?? 0;
    if (!trusted && ofAddress >= limits.connectionsPerAddress * allowanceOf(address)) {
      report.add(key, "tooManyOfAddress");
      return void socket.destroy();
    }
    if (total >= limits.connections && !closeLongestIdle(idle)) {
      report.add(key, "tooMany");
      return void socket.destroy();
    }
    total++;
    open.set(key, ofAddress + 1);
    if (!trusted) idle.add(socket);
    socket.once("close", () => {
      total--;
      idle.delete(socket);
      const left = (open.get(key) ?? 1) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!idle.delete(socket)) return;
    response.once("close", () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });
  server.prependListener("upgrade", ({ socket }: IncomingMessage) => void idle.delete(socket));
  server.once("close", () => report.flush());
};

/** False if every connection has a request in progress or is a WebSocket. */
const closeLongestIdle = (idle: Set<Socket>): boolean => {
  for (const socket of idle) {
    idle.delete(socket);
    socket.destroy();
    return true;
  }
  return false;
};

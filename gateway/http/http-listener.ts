import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import { type Logger, silentLogger } from "../../core/contract/ports/logger.ts";
import { type ConnectionLimits, limitConnections } from "./connection-limits.ts";
import { answerClientError, refuseRequest, refuseUpgrade } from "./error-responses.ts";
import { answerHealth, type Readiness } from "./readiness.ts";

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpListener {
  readonly port: number;
  /** For Fastify's `serverFactory`. The returned server never listens; it gets requests and upgrades after `serve()`. */
  applicationServer(handler: RequestHandler): Server;
  /** Passes requests to the application. Call it only when the application is ready. */
  serve(): void;
  /** Continues to serve and closes each connection after its response, so that proxies move to another process. */
  drain(): void;
  /** Refuses new requests and upgrades except health checks. Requests in flight are still answered. */
  refuse(): void;
  /** Accepts no further connections. Requests in flight have a second to end; then every connection is closed. */
  close(): Promise<void>;
}

interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly limits?: ConnectionLimits;
  readonly trustedProxies?: readonly string[];
  /** A request that has not arrived completely within this time gets a 408, and its connection is closed. */
  readonly requestTimeoutMs?: number;
  readonly logger?: Logger;
}

/**
 * Listens before the process opens any other resource, so that a port in use fails first and health checks are answered
 * while the process starts and stops. Other requests and upgrades in these phases get a 503 with Retry-After (U6).
 */
export const openHttpListener = async (
  { host, port, limits, trustedProxies, requestTimeoutMs = REQUEST_TIMEOUT_MS, logger = silentLogger }: ListenerOptions,
  readiness: Readiness,
  section: "gateway" | "core" = "gateway",
): Promise<HttpListener> => {
  let phase: "starting" | "serving" | "draining" | "stopping" = "starting";
  const isServing = () => phase === "serving" || phase === "draining";
  const application = createHttpServer();
  const answering = new WeakMap<Duplex, ServerResponse>();
  const sockets = new Set<Socket>();

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    answering.set(request.socket, response);
    if (!isServing()) {
      if (!answerHealth(request, response, readiness)) refuseRequest(request, response, phase === "stopping");
      return;
    }
    if (phase === "draining") response.setHeader("connection", "close");
    try {
      application.emit("request", request, response);
    } catch (error) {
      logger.error({ method: request.method, error: messageOf(error) }, "request handler failed");
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    }
  };

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node removes its own error listener before this event; without a listener, a connection reset ends the process.
    socket.on("error", () => socket.destroy());
    const isWebSocket = request.headers.upgrade?.toLowerCase() === "websocket";
    if (isWebSocket && !isServing()) return refuseUpgrade(socket, 503);
    if (isWebSocket && application.listenerCount("upgrade") > 0) {
      application.emit("upgrade", request, socket, head);
    } else if (hasBody(request)) {
      // Node 20 has stopped parsing here, so the body of an h2c upgrade cannot be read.
      refuseUpgrade(socket, 400);
    } else {
      // RFC 9110, 7.8: a server may ignore an upgrade that it does not support, and answer the request.
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket as Socket);
      response.once("finish", () => socket.end());
      answer(request, response);
    }
  };

  const server = createHttpServer({
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs / 6),
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.on("request", answer);
  server.on("upgrade", upgrade);
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => refuseUpgrade(socket, 405));
  server.on("clientError", (error, socket) => answerClientError(error, socket, answering.get(socket)));
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  limitConnections(server, { limits, trustedProxies, logger });
  try {
    await once(server.listen({ host, port, backlog: BACKLOG }), "listening");
  } catch (error) {
    throw listenError(error, host, port, section);
  }
  return {
    port: (server.address() as AddressInfo).port,
    applicationServer: (handler) => application.on("request", handler),
    serve: () => {
      if (phase === "starting") phase = "serving";
    },
    drain: () => {
      if (phase === "serving") phase = "draining";
    },
    refuse: () => {
      phase = "stopping";
    },
    close: async () => {
      phase = "stopping";
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, CLOSE_TIMEOUT_MS);
      await closed;
      clearTimeout(cut);
    },
  };
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

const listenError = (error: unknown, host: string, port: number, section: string): AppError => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} on ${host} is in use: stop what uses it, or choose another ${section}.port`,
    EACCES: `this process may not listen on port ${port}: choose a ${section}.port above 1023`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: set ${section}.host to one of its addresses, or to 0.0.0.0`,
    ENOTFOUND: `the name ${host} cannot be resolved: set ${section}.host to an address of this machine`,
  };
  const message =
    advice[code] ?? `could not listen on ${host}:${port} (${code}): check ${section}.host and ${section}.port`;
  return new AppError("unavailable", message, { cause: error });
};

const REQUEST_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 1_000;
/** Longer than the 60 s for which nginx, HAProxy and AWS keep idle connections, so that they never reuse a closed one. */
const KEEP_ALIVE_MS = 72_000;
/** After a restart all browsers reconnect at once; Node's default of 511 would reset some. The system caps this value. */
const BACKLOG = 16_384;

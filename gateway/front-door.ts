import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AppError } from "../core/contract/app-error.ts";
import { httpError } from "./http-error.ts";
import type { Readiness } from "./readiness.ts";
import { securityHeaders } from "./security-headers.ts";

export interface FrontDoor {
  readonly port: number;
  /** For Fastify's `serverFactory`: from then on its handler answers. */
  handOver(handler: (request: IncomingMessage, response: ServerResponse) => void): Server;
  /** Takes no further connection and cuts those that are open. */
  close(): Promise<void>;
}

interface DoorOptions {
  readonly host: string;
  readonly port: number;
  readonly limits?: { readonly connections: number };
  /** All of a request must have come in this time, or it is cut off. */
  readonly requestWithinMs?: number;
}

/**
 * The port is taken before anything else is opened, so that a port in use costs nothing,
 * and health is answered while the rest is still coming up.
 */
export const openFrontDoor = async (
  { host, port, limits, requestWithinMs = REQUEST_WITHIN_MS }: DoorOptions,
  readiness: Readiness,
  section: "gateway" | "core" = "gateway",
): Promise<FrontDoor> => {
  const answerWhileStarting = (request: IncomingMessage, response: ServerResponse) => {
    const [status, body] = answerTo(request.url, readiness);
    response
      .writeHead(status, { ...securityHeaders, "content-type": "application/json; charset=utf-8", "retry-after": "1" })
      .end(JSON.stringify(body));
  };
  const server = createHttpServer(
    { requestTimeout: requestWithinMs, connectionsCheckingInterval: requestWithinMs / 6 },
    answerWhileStarting,
  );
  if (limits) server.maxConnections = limits.connections;
  try {
    await once(server.listen({ host, port, backlog: BACKLOG }), "listening");
  } catch (error) {
    throw cannotListen(error, host, port, section);
  }
  return {
    port: (server.address() as AddressInfo).port,
    handOver: (handler) => server.off("request", answerWhileStarting).on("request", handler),
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

const answerTo = (url: string | undefined, readiness: Readiness): [status: number, body: unknown] => {
  if (url === "/health/live") return [200, { live: true }];
  if (url === "/health/ready") return [503, { ready: false, reasons: readiness.problems() }];
  return [503, httpError(503, "unavailable", "Mooring is starting: try again in a moment.").body];
};

const cannotListen = (error: unknown, host: string, port: number, section: string): AppError => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} on ${host} is in use: stop what uses it, or choose another ${section}.port`,
    EACCES: `port ${port} needs rights this process does not have: choose a ${section}.port above 1023`,
    EADDRNOTAVAIL: `${host} is no address of this machine: set ${section}.host to one that is, or to 0.0.0.0`,
    ENOTFOUND: `the name ${host} is not known: set ${section}.host to an address of this machine`,
  };
  const message =
    advice[code] ?? `${host}:${port} cannot be listened on (${code}): check ${section}.host and ${section}.port`;
  return new AppError("unavailable", message, { cause: error });
};

const REQUEST_WITHIN_MS = 30_000;
/** After a restart all browsers come back at once. Node's 511 would reset some; the system takes as many as it allows. */
const BACKLOG = 16_384;

import type { IncomingMessage, ServerResponse } from "node:http";
import websocket from "@fastify/websocket";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SocketAdapter, SocketRequest } from "../../adapters/contract/abilities.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { httpError } from "./error-responses.ts";
import { channelPath } from "./webhooks.ts";

/** WebSockets of browsers at `/channels/<channel>/socket`. A refusal is a plain HTTP response before the upgrade. */
export const socketRoutes = async (
  app: FastifyInstance,
  adapters: readonly SocketAdapter[],
  logger: Logger,
): Promise<void> => {
  if (adapters.length === 0) return;
  const admitted = new WeakMap<IncomingMessage, { protocol: string; response: ServerResponse }>();

  function failed(this: { terminate(): void }, error: Error): void {
    logger.warn({ error: error.message }, "socket failed");
    this.terminate();
  }

  await app.register(websocket, {
    options: {
      // One WebSocket server serves all channels, so it has the largest limit; each adapter checks its own.
      maxPayload: Math.max(...adapters.map(({ socket }) => socket.maxFrameBytes)),
      perMessageDeflate: false,
      handleProtocols: (offered, request) => {
        const protocol = admitted.get(request)?.protocol;
        return protocol !== undefined && offered.has(protocol) ? protocol : false;
      },
    },
    errorHandler: (error, socket) => failed.call(socket, error),
    // The adapters have already asked their clients to reconnect; the remaining sockets are closed.
    preClose: async () => {
      for (const client of app.websocketServer.clients) client.terminate();
    },
  });

  for (const adapter of adapters) {
    const preValidation = async (request: FastifyRequest, reply: FastifyReply) => {
      const refusal = request.ws ? adapter.admit(socketRequest(request)) : NOT_A_SOCKET;
      if (refusal !== undefined) {
        return reply.code(refusal.status).send(httpError(refusal.status, "refused", refusal.message).body);
      }
      admitted.set(request.raw, { protocol: adapter.socket.protocol, response: reply.raw });
      return undefined;
    };
    app.get(channelPath(adapter.channel, "socket"), { websocket: true, preValidation }, (socket, request) => {
      // Otherwise the request stays in memory as long as the socket is open: the connection refers to its response, and
      // the plugin's own error listener to the rest.
      admitted.get(request.raw)?.response.detachSocket(request.raw.socket);
      socket.removeAllListeners("error").on("error", failed);
      adapter.connect(socket, socketRequest(request), request.raw.socket);
    });
  }
};

const NOT_A_SOCKET = { status: 426, message: "This address accepts WebSocket connections only." };

const socketRequest = (request: FastifyRequest): SocketRequest => ({
  origin: request.headers.origin,
  remoteAddress: request.ip,
  userAgent: request.headers["user-agent"],
  protocols: (request.headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== ""),
});

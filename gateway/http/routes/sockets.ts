import type { IncomingMessage, ServerResponse } from "node:http";
import websocket from "@fastify/websocket";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SocketAdapter, SocketRequest } from "../../../adapters/contract/abilities.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import { httpError } from "../http-error.ts";
import { channelPath } from "./webhooks.ts";

/** Browsers' sockets at `/channels/<channel>/socket`. A refusal comes before the upgrade, as a plain HTTP answer. */
export const socketRoutes = async (
  app: FastifyInstance,
  adapters: readonly SocketAdapter[],
  logger: Logger,
): Promise<void> => {
  if (adapters.length === 0) return;
  const admitted = new WeakMap<IncomingMessage, { protocol: string; response: ServerResponse }>();

  function failed(this: { terminate(): void }, error: Error): void {
    logger.warn({ error: error.message }, "a socket failed");
    this.terminate();
  }

  await app.register(websocket, {
    options: {
      // one WebSocket server for all channels: the largest limit here, its own in each adapter
      maxPayload: Math.max(...adapters.map(({ socket }) => socket.maxFrameBytes)),
      perMessageDeflate: false,
      handleProtocols: (offered, request) => {
        const protocol = admitted.get(request)?.protocol;
        return protocol !== undefined && offered.has(protocol) ? protocol : false;
      },
    },
    errorHandler: (error, socket) => failed.call(socket, error),
    // The adapters have asked their clients to reconnect by now; the remaining sockets are cut.
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
      // else the request and everything about it stays in memory for as long as the socket is open:
      // the response by its place on the connection, the rest by the plugin's own listener
      admitted.get(request.raw)?.response.detachSocket(request.raw.socket);
      socket.removeAllListeners("error").on("error", failed);
      adapter.connect(socket, socketRequest(request), request.raw.socket);
    });
  }
};

const NOT_A_SOCKET = { status: 426, message: "This address speaks WebSocket only." };

const socketRequest = (request: FastifyRequest): SocketRequest => ({
  origin: request.headers.origin,
  remoteAddress: request.ip,
  protocols: (request.headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== ""),
});

import type { IncomingMessage } from "node:http";
import websocket from "@fastify/websocket";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SocketAdapter, SocketRequest } from "../../adapters/contract/abilities.ts";
import type { Logger } from "../../core/contract/logger.ts";
import { httpError } from "../http-error.ts";
import { channelPath } from "./channel-path.ts";

/** Browsers' sockets at `/channels/<channel>/socket`. A refusal comes before the upgrade, as a plain HTTP answer. */
export const socketRoutes = async (
  app: FastifyInstance,
  adapters: readonly SocketAdapter[],
  logger: Logger,
): Promise<void> => {
  if (adapters.length === 0) return;
  const protocols = new WeakMap<IncomingMessage, string>();

  await app.register(websocket, {
    options: {
      // one WebSocket server for all channels: the largest limit here, its own in each adapter
      maxPayload: Math.max(...adapters.map(({ socket }) => socket.maxFrameBytes)),
      perMessageDeflate: false,
      handleProtocols: (offered, request) => {
        const protocol = protocols.get(request);
        return protocol !== undefined && offered.has(protocol) ? protocol : false;
      },
    },
    errorHandler: (error, socket, request) => {
      logger.warn({ requestId: request.id, error: error.message }, "a socket failed");
      socket.terminate();
    },
    // the adapters have told their sockets to come back by now; whoever is left is cut
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
      protocols.set(request.raw, adapter.socket.protocol);
      return undefined;
    };
    app.get(channelPath(adapter.channel, "socket"), { websocket: true, preValidation }, (socket, request) =>
      adapter.connect(socket, socketRequest(request)),
    );
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

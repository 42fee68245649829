import type { IncomingMessage } from "node:http";
import { createServer, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { SocketRequest } from "../../../adapters/contract/abilities.ts";
import type { AdapterContext } from "../../../adapters/contract/adapter-context.ts";
import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { WebAdapter, WebConfig } from "../../../adapters/web/index.ts";
import type { Clock } from "../../../core/contract/clock.ts";
import { systemClock } from "../../../core/contract/clock.ts";
import { silentLogger } from "../../../core/contract/logger.ts";
import { silentMeter } from "../../../core/contract/meter.ts";
import type { Store } from "../../../core/contract/store.ts";
import type { UserMessage } from "../../../core/contract/user-message.ts";
import type { UserSignal } from "../../../core/contract/user-signal.ts";
import { MemoryStore } from "./memory-store.ts";

export interface WebGateway {
  readonly adapter: WebAdapter;
  readonly url: string;
  readonly origin: string;
  readonly accepted: UserMessage[];
  stop(): Promise<void>;
}

export interface WebGatewayOptions {
  readonly config?: Record<string, unknown>;
  readonly store?: Store;
  readonly clock?: Clock;
  readonly channel?: string;
  readonly inbox?: Inbox;
  /** Carries signals between gateways; without it they come straight back. */
  readonly signal?: (signal: UserSignal) => void;
  /** What the adapter takes for its own address; the real one unless told. */
  readonly publicUrl?: string;
}

let made = 0;

/** A web adapter behind real sockets, mounted as a gateway mounts it. */
export const startWebGateway = async (options: WebGatewayOptions = {}): Promise<WebGateway> => {
  const clock = options.clock ?? systemClock;
  const server = createServer((_, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const accepted: UserMessage[] = [];
  const context: AdapterContext = {
    channel: options.channel ?? "web",
    tenant: "default",
    agent: "mooring",
    publicUrl: options.publicUrl ?? `http://localhost:${port}`,
    store: options.store ?? new MemoryStore(clock),
    signal: (signal) => (options.signal ? options.signal(signal) : adapter.hear(signal)),
    clock,
    logger: silentLogger,
    meter: silentMeter,
    newId: () => `id${++made}`,
  };
  const adapter: WebAdapter = new WebAdapter(WebConfig.parse({ adapter: "web", ...options.config }), context);
  await adapter.start(options.inbox ?? { accept: async (message) => void accepted.push(message) });

  const { maxFrameBytes: maxPayload, protocol } = adapter.socket;
  const sockets = new WebSocketServer({ noServer: true, maxPayload, handleProtocols: () => protocol });
  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const asked = socketRequestOf(request);
    const refusal = adapter.admit(asked);
    if (refusal) {
      const { status, message } = refusal;
      stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n${message}`);
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => adapter.connect(socket, asked));
  });
  return {
    adapter,
    accepted,
    url: `ws://127.0.0.1:${port}`,
    origin: `http://localhost:${port}`,
    async stop() {
      for (const socket of sockets.clients) socket.terminate();
      await adapter.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const socketRequestOf = ({ headers, socket }: IncomingMessage): SocketRequest => ({
  origin: headers.origin,
  remoteAddress: socket.remoteAddress ?? "",
  protocols: (headers["sec-websocket-protocol"] ?? "").split(",").map((protocol) => protocol.trim()),
});

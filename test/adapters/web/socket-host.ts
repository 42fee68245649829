import type { IncomingMessage, Server } from "node:http";
import { createServer, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { SocketAdapter, SocketRequest } from "../../../adapters/contract/abilities.ts";

/** Real sockets for an adapter, mounted as in a gateway. */
export class SocketHost {
  readonly #server: Server = createServer((_, response) => response.writeHead(404).end());
  #sockets: WebSocketServer | undefined;
  #adapter: SocketAdapter | undefined;

  async open(): Promise<this> {
    this.#server.on("upgrade", (request, stream, head) => this.#upgrade(request, stream, head));
    await new Promise<void>((resolve) => this.#server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, resolve));
    return this;
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  get origin(): string {
    return `http://localhost:${this.#port}`;
  }

  /** Terminates the sockets of an earlier adapter, as a crash would. */
  mount(adapter: SocketAdapter): void {
    this.#cut();
    const { maxFrameBytes: maxPayload, protocol } = adapter.socket;
    this.#adapter = adapter;
    this.#sockets = new WebSocketServer({ noServer: true, maxPayload, handleProtocols: () => protocol });
  }

  async close(): Promise<void> {
    this.#cut();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #cut(): void {
    for (const socket of this.#sockets?.clients ?? []) socket.terminate();
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const adapter = this.#adapter;
    const asked = socketRequestOf(request);
    const refusal = adapter ? adapter.admit(asked) : { status: 404, message: "nothing is mounted" };
    if (refusal) {
      const { status, message } = refusal;
      stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n${message}`);
      return;
    }
    this.#sockets?.handleUpgrade(request, stream, head, (socket) => {
      socket.on("error", () => undefined);
      adapter?.connect(socket, asked, stream);
    });
  }
}

const socketRequestOf = ({ headers, socket }: IncomingMessage): SocketRequest => ({
  origin: headers.origin,
  remoteAddress: socket.remoteAddress ?? "",
  protocols: (headers["sec-websocket-protocol"] ?? "").split(",").map((protocol) => protocol.trim()),
});

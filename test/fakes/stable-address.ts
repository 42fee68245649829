import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { connect, createServer } from "node:net";

/**
 * A proxy with a fixed address for a server that restarts on different ports. A server's own port is not safe to reuse:
 * another process may get it in between.
 */
export class StableAddress {
  /** Port of the server; undefined: connections are closed. */
  port: number | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((caller) => this.#pass(caller));
  }

  static async open(): Promise<StableAddress> {
    const address = new StableAddress();
    await once(address.#server.listen(0, "127.0.0.1"), "listening");
    return address;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #pass(caller: Socket): void {
    if (this.port === undefined) {
      caller.destroy();
      return;
    }
    const behind = connect(this.port, "127.0.0.1");
    for (const [one, other] of [
      [caller, behind],
      [behind, caller],
    ] as const) {
      this.#sockets.add(one);
      one.pipe(other);
      one.on("error", () => undefined);
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}

import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { NatsFrames } from "./nats-frames.ts";

/** cut: closes both ends. silent: the connection stays open, but forwards no more data. */
type Fault = "cut" | "silent";
type Moment = (sent: string, nth: number) => boolean;
type Sender = "client" | "server";
type Loss = (frame: string) => boolean;

/**
 * A proxy to a nats-server. It fails one connection just before it would forward certain data of the client (later
 * connections work), or drops single frames of an open connection.
 */
export class NatsWire {
  readonly #to: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #plan: { readonly when: Moment; readonly fault: Fault } | undefined;
  #sent = 0;
  #onServerData: (bytes: string) => void = () => undefined;
  readonly #losses: Record<Sender, Loss> = { client: () => false, server: () => false };

  private constructor(to: number) {
    this.#to = to;
    this.#server = createServer((client) => this.#pass(client));
  }

  static async to(port: number): Promise<NatsWire> {
    const wire = new NatsWire(port);
    await once(wire.#server.listen(0, "127.0.0.1"), "listening");
    return wire;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The fault of fail() has occurred. */
  get hasFailed(): boolean {
    return this.#plan === undefined;
  }

  /** `nth` counts all chunks that clients have sent through this proxy. */
  fail(fault: Fault, when: Moment): void {
    this.#plan = { fault, when };
  }

  /** From now on, drops the frames of the sender for which this is true. */
  lose(sender: Sender, isLost: Loss): void {
    this.#losses[sender] = isLost;
  }

  /** Observes the data of the server. */
  onServerData(observe: (bytes: string) => void): void {
    this.#onServerData = observe;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #pass(client: Socket): void {
    const server = connect(this.#to, "127.0.0.1");
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    }
    const sent: Record<Sender, NatsFrames> = { client: new NatsFrames(), server: new NatsFrames() };
    const forward = (sender: Sender, bytes: Buffer, to: Socket) => {
      for (const frame of sent[sender].take(bytes)) {
        if (!this.#losses[sender](frame.toString("latin1"))) to.write(frame);
      }
    };
    server.on("data", (bytes) => {
      this.#onServerData(bytes.toString("latin1"));
      forward("server", bytes, client);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
    client.on("data", (bytes) => {
      const fault = this.#faultAt(bytes.toString("latin1"));
      if (fault === undefined) forward("client", bytes, server);
      else if (fault === "silent") client.pause();
      else client.destroy();
    });
  }

  #faultAt(sent: string): Fault | undefined {
    this.#sent++;
    if (!this.#plan?.when(sent, this.#sent)) return undefined;
    const { fault } = this.#plan;
    this.#plan = undefined;
    return fault;
  }
}

import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { NatsFrames } from "./nats-frames.ts";

/** cut: hung up on both ends. silent: it stays, and nothing passes any more. */
type Trouble = "cut" | "silent";
type Moment = (sent: string, nth: number) => boolean;
type Sender = "client" | "server";
type Loss = (frame: string) => boolean;

/**
 * A wire to a nats-server that fails once, before something that a client sends gets through (the next one is whole), or
 * that loses single frames while the connection lasts.
 */
export class NatsWire {
  readonly #to: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #plan: { readonly when: Moment; readonly trouble: Trouble } | undefined;
  #sent = 0;
  #answered: (bytes: string) => void = () => undefined;
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

  /** It has done what fail() asked for. */
  get hasFailed(): boolean {
    return this.#plan === undefined;
  }

  /** `nth`: of all that was sent since the wire was made. */
  fail(trouble: Trouble, when: Moment): void {
    this.#plan = { trouble, when };
  }

  /** Frames of the sender for which this is true do not arrive, from now on. */
  lose(sender: Sender, isLost: Loss): void {
    this.#losses[sender] = isLost;
  }

  /** Listens in on what the server sends. */
  hear(answered: (bytes: string) => void): void {
    this.#answered = answered;
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
    const passOn = (sender: Sender, bytes: Buffer, to: Socket) => {
      for (const frame of sent[sender].take(bytes)) {
        if (!this.#losses[sender](frame.toString("latin1"))) to.write(frame);
      }
    };
    server.on("data", (bytes) => {
      this.#answered(bytes.toString("latin1"));
      passOn("server", bytes, client);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
    client.on("data", (bytes) => {
      const trouble = this.#troubleAt(bytes.toString("latin1"));
      if (trouble === undefined) passOn("client", bytes, server);
      else if (trouble === "silent") client.pause();
      else client.destroy();
    });
  }

  #troubleAt(sent: string): Trouble | undefined {
    this.#sent++;
    if (!this.#plan?.when(sent, this.#sent)) return undefined;
    const { trouble } = this.#plan;
    this.#plan = undefined;
    return trouble;
  }
}

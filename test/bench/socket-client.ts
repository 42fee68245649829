import { once } from "node:events";
import { WebSocket } from "ws";
import { MESSAGE_TEXT } from "./message-text.ts";

export interface SocketEndpoint {
  readonly port: number;
  /** The product uses its protocol; a floor sends raw frames. */
  readonly speaks: "mooring.v1" | "nothing";
}

/** One browser tab, as cheap as possible: it looks for replies and parses nothing else. */
export class SocketClient {
  readonly #socket: WebSocket;
  #onReply: (() => void) | undefined;
  #sent = 0;
  /** From the server's welcome. */
  token = "";
  conversation = "";

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("error", () => undefined);
    socket.on("message", (data: Buffer) => {
      if (data.includes('"type":"reply"')) this.#onReply?.();
    });
  }

  /** A token opens one more tab of the same visitor. */
  static async open({ port, speaks }: SocketEndpoint, token?: string): Promise<SocketClient> {
    const origin = `http://127.0.0.1:${port}`;
    const path = speaks === "mooring.v1" ? "/channels/web/socket" : "/socket";
    const protocols = speaks === "mooring.v1" ? [speaks] : [];
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { origin, perMessageDeflate: false });
    await once(socket, "open");
    const client = new SocketClient(socket);
    if (speaks === "mooring.v1") await client.#hello(token);
    return client;
  }

  /** Sends a message and waits for its reply. */
  async ask(): Promise<void> {
    const replied = this.reply();
    const id = `m${++this.#sent}`;
    this.#socket.send(JSON.stringify({ type: "message", id, text: MESSAGE_TEXT }));
    await replied;
  }

  /** The next reply. */
  reply(): Promise<void> {
    return new Promise((resolve) => {
      this.#onReply = resolve;
    });
  }

  close(): void {
    this.#socket.terminate();
  }

  async #hello(token: string | undefined): Promise<void> {
    const welcomed = once(this.#socket, "message");
    this.#socket.send(JSON.stringify({ type: "hello", ...(token && { token }) }));
    const [data] = (await welcomed) as [Buffer];
    const welcome = JSON.parse(String(data)) as { token: string; conversation: string };
    this.token = welcome.token;
    this.conversation = welcome.conversation;
  }
}

/** A few at a time, so that the queue of connections does not overflow. */
export const openClients = async (count: number, open: () => Promise<SocketClient>): Promise<SocketClient[]> => {
  const clients: SocketClient[] = [];
  while (clients.length < count) {
    const batch = Math.min(AT_ONCE, count - clients.length);
    clients.push(...(await Promise.all(Array.from({ length: batch }, open))));
  }
  return clients;
};

const AT_ONCE = 100;

import { once } from "node:events";
import { WebSocket } from "ws";

export type Fate = "answered" | "told to come back later" | "cut off";

/** A visitor who does not wait for answers before the next message. */
export class PushingClient {
  readonly #socket: WebSocket;
  readonly #open = new Map<string, (fate: Fate) => void>();
  #sent = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.#hear(JSON.parse(String(data))));
    socket.on("close", () => {
      for (const id of this.#open.keys()) this.#end(id, "cut off");
    });
  }

  static async open(port: number): Promise<PushingClient> {
    const [url, origin] = [`ws://127.0.0.1:${port}/channels/web/socket`, `http://127.0.0.1:${port}`];
    const socket = new WebSocket(url, ["mooring.v1"], { origin, perMessageDeflate: false });
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "hello" }));
    await once(socket, "message");
    return new PushingClient(socket);
  }

  /** Resolves when the outcome of the message is known. */
  push(): Promise<Fate> {
    const id = `m${++this.#sent}`;
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      this.#socket.send(JSON.stringify({ type: "message", id, text: "Please note this down." }), (error) => {
        if (error) this.#end(id, "cut off");
      });
    });
  }

  close(): void {
    this.#socket.terminate();
  }

  #hear({ type, id = "", code, correlationId = "" }: Partial<Record<string, string>>): void {
    if (type === "reply") this.#end(correlationId, "answered");
    else if (type === "error" && (code === "rate-limited" || code === "busy")) this.#end(id, "told to come back later");
  }

  #end(id: string, fate: Fate): void {
    this.#open.get(id)?.(fate);
    this.#open.delete(id);
  }
}

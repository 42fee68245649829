import { once } from "node:events";
import { WebSocket } from "ws";

/** What becomes of messages that are sent whether or not the ones before were answered. */
export interface Fates {
  sent: number;
  accepted: number;
  refused: number;
  answered: number;
  mostWaiting: number;
}

/** A visitor who does not wait. */
export class PushingClient {
  readonly #socket: WebSocket;
  readonly #fates: Fates;
  readonly #accepted = new Set<string>();
  #sent = 0;

  private constructor(socket: WebSocket, fates: Fates) {
    this.#socket = socket;
    this.#fates = fates;
    socket.on("message", (data: Buffer) => this.#hear(JSON.parse(String(data))));
  }

  static async open(port: number, fates: Fates): Promise<PushingClient> {
    const [url, origin] = [`ws://127.0.0.1:${port}/channels/web/socket`, `http://127.0.0.1:${port}`];
    const socket = new WebSocket(url, ["mooring.v1"], { origin, perMessageDeflate: false });
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "hello" }));
    await once(socket, "message");
    return new PushingClient(socket, fates);
  }

  push(): void {
    this.#fates.sent++;
    this.#socket.send(JSON.stringify({ type: "message", id: `m${++this.#sent}`, text: "Please note this down." }));
  }

  close(): void {
    this.#socket.terminate();
  }

  #hear({ type, id = "", correlationId = "" }: { type: string; id?: string; correlationId?: string }): void {
    const fates = this.#fates;
    if (type === "error") fates.refused++;
    // An answer may come before the word that its message was stored.
    if (type === "accepted" || type === "reply") this.#accept(type === "reply" ? correlationId : id);
    if (type === "reply") fates.answered++;
    fates.mostWaiting = Math.max(fates.mostWaiting, fates.accepted - fates.answered);
  }

  #accept(id: string): void {
    if (this.#accepted.has(id)) return;
    this.#accepted.add(id);
    this.#fates.accepted++;
  }
}

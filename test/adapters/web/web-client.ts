import { WebSocket } from "ws";
import type { ClientFrame, Hello } from "../../../adapters/web/protocol.ts";
import { ServerFrame } from "../../../adapters/web/protocol.ts";

type FrameOf<T extends ServerFrame["type"]> = Extract<ServerFrame, { type: T }>;

export interface ConnectOptions {
  readonly origin?: string | undefined;
  readonly protocols?: string[];
}

/** A client that records every frame; each must match the protocol. */
export class WebClient {
  readonly socket: WebSocket;
  readonly frames: ServerFrame[] = [];
  closed: { code: number; reason: string } | undefined;
  #read = 0;
  readonly #waiting = new Set<() => void>();

  constructor(gateway: { url: string; origin: string }, options: ConnectOptions = {}) {
    const origin = "origin" in options ? options.origin : gateway.origin;
    this.socket = new WebSocket(
      gateway.url,
      options.protocols ?? ["mooring.v1"],
      origin === undefined ? {} : { origin },
    );
    this.socket.on("message", (data) => {
      this.frames.push(ServerFrame.parse(JSON.parse(String(data))));
      this.#wake();
    });
    this.socket.on("close", (code, reason) => {
      this.closed = { code, reason: String(reason) };
      this.#wake();
    });
    this.socket.on("error", () => undefined);
  }

  /** Resolves once open; rejects with the status of a refusal. */
  opened(): Promise<this> {
    return new Promise((resolve, reject) => {
      this.socket.once("open", () => resolve(this));
      this.socket.once("unexpected-response", (request, response) => {
        request.destroy();
        reject(new Error(`refused with ${response.statusCode}`));
      });
      this.socket.once("error", reject);
    });
  }

  send(frame: ClientFrame): void {
    this.socket.send(JSON.stringify(frame));
  }

  sendRaw(data: string | Buffer, options: { binary?: boolean } = {}): void {
    this.socket.send(data, options);
  }

  /** The next unread frame of this type; skips earlier ones. */
  async next<T extends ServerFrame["type"]>(
    type: T,
    fits: (frame: FrameOf<T>) => boolean = () => true,
  ): Promise<FrameOf<T>> {
    for (;;) {
      while (this.#read < this.frames.length) {
        const frame = this.frames[this.#read++] as ServerFrame;
        if (frame.type === type && fits(frame as FrameOf<T>)) return frame as FrameOf<T>;
      }
      if (this.closed) throw new Error(`closed with ${this.closed.code} before a ${type} came`);
      await this.#change();
    }
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.#change();
  }

  async closing(): Promise<number> {
    await this.until(() => this.closed !== undefined);
    return this.closed?.code ?? 0;
  }

  logged(): { seq: number; type: string; id: string }[] {
    return this.frames.filter((frame) => frame.type === "said" || frame.type === "reply" || frame.type === "edit");
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** A client that has said hello. */
export const enter = async (
  gateway: { url: string; origin: string },
  hello: Omit<Hello, "type"> = {},
  options?: ConnectOptions,
): Promise<{ client: WebClient; welcome: FrameOf<"welcome"> }> => {
  const client = await new WebClient(gateway, options).opened();
  client.send({ type: "hello", ...hello });
  return { client, welcome: await client.next("welcome") };
};

import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { Recorder } from "../../fakes/recorder.ts";

export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface VisitOptions {
  readonly origin?: string;
  /** The address that a trusted proxy in front of the gateway names. */
  readonly from?: string;
  readonly token?: string;
  /** The first part of message ids, for a second socket of a visitor. */
  readonly name?: string;
}

/** A browser's socket, frame by frame, without retries and reconnects. */
export class RawVisitor {
  readonly frames = new Recorder<Frame>();
  readonly #socket: WebSocket;
  readonly #name: string;
  #sent = 0;

  private constructor(socket: WebSocket, name: string) {
    this.#socket = socket;
    this.#name = name;
    socket.on("message", (data) => this.frames.add(JSON.parse(String(data)) as Frame));
    socket.on("close", (code) => this.frames.add({ type: "closed", code }));
    socket.on("error", () => undefined);
  }

  /** Resolves to the status of the refusal, or to the visitor once the connection is open. */
  static connect(address: string, channel: string, options: VisitOptions = {}): Promise<RawVisitor | number> {
    const { origin = address, from } = options;
    const socket = new WebSocket(`${address.replace("http", "ws")}/channels/${channel}/socket`, "mooring.v1", {
      origin,
      headers: from === undefined ? {} : { "x-forwarded-for": from },
    });
    return new Promise((resolve, reject) => {
      socket.once("open", () => resolve(new RawVisitor(socket, options.name ?? "m")));
      socket.once("unexpected-response", (_, response: IncomingMessage) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      socket.once("error", reject);
    });
  }

  /** Connects and sends the hello frame. */
  static async greet(address: string, channel: string, options: VisitOptions = {}): Promise<RawVisitor> {
    const visitor = await RawVisitor.connect(address, channel, options);
    if (typeof visitor === "number") throw new Error(`refused with ${visitor}`);
    visitor.send({ type: "hello", ...(options.token !== undefined && { token: options.token }) });
    return visitor;
  }

  send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  /** The first frame of one of these types. */
  async first(...types: string[]): Promise<Frame> {
    const isOne = ({ type }: Frame) => types.includes(type);
    return (await this.frames.until((frames) => frames.some(isOne))).find(isOne) as Frame;
  }

  async token(): Promise<string> {
    return String((await this.first("welcome")).token);
  }

  /** "accepted", or the code of the refusal. */
  async say(text: string, attachments: readonly { id: string }[] = []): Promise<string> {
    await this.first("welcome");
    const id = `${this.#name}${++this.#sent}`;
    this.send({ type: "message", id, text, ...(attachments.length > 0 && { attachments }) });
    const isAnswer = ({ type, ...frame }: Frame) =>
      type === "closed" ||
      (frame.id === id && ["accepted", "error"].includes(type)) ||
      // A frame above the rate is refused before its id is read.
      (type === "error" && frame.code === "rate-limited" && frame.id === undefined);
    const answer = (await this.frames.until((frames) => frames.some(isAnswer))).find(isAnswer);
    return answer?.type === "error" ? String(answer.code) : String(answer?.type);
  }

  async stop(): Promise<void> {
    this.#socket.terminate();
  }
}

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fails, type ModelAnswer, type Speech } from "./model-answer.ts";
import { anthropic, type ModelProtocol, openAi } from "./model-protocol.ts";
import { type ModelRequest, readModelRequest } from "./model-request.ts";

/** Answers in order, or a function that makes the answer from the request. */
export type ModelScript = readonly ModelAnswer[] | ((request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>);

/**
 * A model server on a free local port that follows a script. It implements OpenAI's chat completions and Anthropic's
 * messages, streamed or not, and records every request.
 */
export class ScriptedModelServer {
  readonly requests: ModelRequest[] = [];
  readonly #server: Server;
  readonly #waiting: { count: number; resolve: (request: ModelRequest) => void }[] = [];
  #script: ModelScript;
  #given = 0;

  private constructor(script: ModelScript) {
    this.#script = script;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(script: ModelScript = []): Promise<ScriptedModelServer> {
    const server = new ScriptedModelServer(script);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  /** For `baseUrl` of either provider. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Replaces the script. */
  follow(script: ModelScript): void {
    this.#script = script;
    this.#given = 0;
  }

  /** Resolves to the n-th request once it has arrived. */
  received(count: number): Promise<ModelRequest> {
    const request = this.requests[count - 1];
    if (request !== undefined) return Promise.resolve(request);
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  /** Stops the server and closes all connections. */
  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const protocol = [openAi, anthropic].find(({ path }) => path === incoming.url);
    if (protocol === undefined || incoming.method !== "POST") {
      response.writeHead(404).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = this.#record(incoming, response, Buffer.concat(chunks).toString());
    const answer = await this.#next(request);
    if (answer.kind === "hang-up") response.destroy();
    else if (answer.kind === "raw") response.writeHead(answer.status, answer.headers).end(answer.body);
    else if (answer.kind === "speech") await speak(answer, request, protocol, response);
  }

  #record(incoming: IncomingMessage, response: ServerResponse, body: string): ModelRequest {
    const closed = once(response, "close").then(() => (response.writableFinished ? "answered" : "client-left"));
    const request: ModelRequest = {
      number: this.requests.length + 1,
      path: incoming.url ?? "",
      headers: incoming.headers,
      closed,
      ...readModelRequest(body),
    };
    this.requests.push(request);
    for (const { count, resolve } of this.#waiting) if (count === request.number) resolve(request);
    return request;
  }

  async #next(request: ModelRequest): Promise<ModelAnswer> {
    if (typeof this.#script === "function") return this.#script(request);
    const answer = this.#script[this.#given++];
    return answer ?? fails(500, { error: { message: `the script has no answer for request ${request.number}` } });
  }
}

const speak = async (speech: Speech, request: ModelRequest, protocol: ModelProtocol, response: ServerResponse) => {
  const toolCalls = speech.toolCalls.map((call, index) => ({ id: `call_${request.number}_${index}`, ...call }));
  if (!request.body.stream) {
    for (const piece of speech.pieces) if (typeof piece !== "string") await piece.opened;
    const text = speech.pieces.filter((piece) => typeof piece === "string").join("");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(protocol.whole(text, toolCalls, speech)));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(protocol.opening());
  for (const piece of speech.pieces) {
    if (typeof piece === "string") response.write(protocol.text(piece));
    else await piece.opened;
  }
  for (const [index, call] of toolCalls.entries()) response.write(protocol.toolCall(call, index));
  if (speech.ending === "cut") await flushed(response).then(() => response.destroy());
  else response.end(speech.ending === "complete" ? protocol.closing(speech) : "");
};

/** Ensures that the client receives the data before the cut. */
const flushed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.write(": cut\n\n", () => setImmediate(resolve)));

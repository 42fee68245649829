import { AppError } from "../../../contract/app-error.ts";
import { ChildAbort, readWithin } from "../../../lib/index.ts";
import { MAX_MESSAGE_BYTES } from "./limits.ts";

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
  /** Called once with the reason if an answer is too large: the SDK would wait for the rest of it. */
  onBroken(reason: string): void;
  readonly tokens?: TokenSource | undefined;
}

/** A fetch that sends the headers to the server only, never to the authorization server, and bounds answers. */
export const serverFetch =
  ({ url: server, headers, onBroken, tokens }: ServerFetch): Fetch =>
  async (url, init) => {
    const isServer = new URL(url).origin === server.origin;
    const send = (token?: string) => {
      const sent = new Headers(init?.headers);
      if (isServer) for (const [name, value] of Object.entries(headers)) sent.set(name, value);
      if (token !== undefined) sent.set("authorization", `Bearer ${token}`);
      return boundedFetch(url, { ...init, headers: sent, redirect: "manual" }, onBroken);
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
 * Counts the bytes of a body, or of each event if it is a stream of events, which may stay open for days. The SDK passes
 * one signal to all requests of a session, and fetch leaves its listener there, so each request gets a signal of its own.
 */
const boundedFetch = async (url: string | URL, init: RequestInit, onBroken: (reason: string) => void) => {
  const over = init.signal ? new ChildAbort(init.signal) : undefined;
  const end = () => over?.release();
  const tooLarge = () => {
    const reason = `it sent more than ${MAX_MESSAGE_BYTES} bytes at once`;
    onBroken(reason);
    return new AppError("too-large", reason);
  };
  let isOpen = false;
  try {
    const response = await fetch(url, { ...init, ...(over && { signal: over.signal }) });
    if (response.body === null) return response;
    isOpen = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const body = isOpen
      ? boundedEvents(response.body, { tooLarge, end })
      : await readWithin(response, MAX_MESSAGE_BYTES).catch((error: unknown) => {
          throw error instanceof AppError && error.code === "too-large" ? tooLarge() : error;
        });
    return new Response(body, response);
  } finally {
    if (!isOpen) end();
  }
};

interface EventLimits {
  tooLarge(): AppError;
  /** Called when the stream has ended, failed or been cancelled. */
  end(): void;
}

const boundedEvents = (
  body: ReadableStream<Uint8Array>,
  { tooLarge, end }: EventLimits,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value } = await reader.read();
        if (value === undefined) {
          end();
          return controller.close();
        }
        const endOfEvent = value.lastIndexOf(LINE_FEED);
        bytes = endOfEvent === -1 ? bytes + value.byteLength : value.byteLength - endOfEvent;
        if (bytes > MAX_MESSAGE_BYTES) throw tooLarge();
        controller.enqueue(value);
      } catch (error) {
        end();
        void reader.cancel(error).catch(() => {});
        throw error;
      }
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
};

const LINE_FEED = 10;

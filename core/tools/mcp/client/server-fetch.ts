import { AppError } from "../../../contract/app-error.ts";
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
      return fetch(url, { ...init, headers: sent, redirect: "manual" });
    };
    if (tokens === undefined || !isServer) return bounded(await send(), onBroken);
    const { id, accessToken } = await tokens.current();
    const response = await send(accessToken);
    if (response.status !== UNAUTHORISED) return bounded(response, onBroken);
    await response.body?.cancel();
    const { accessToken: renewed } = await tokens.renewed(id);
    return bounded(await send(renewed), onBroken);
  };

/** Counts the bytes of a body, or of each event if it is a stream of events, which may stay open for days. */
const bounded = (response: Response, onBroken: (reason: string) => void): Response => {
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const endOfEvent = isStream ? chunk.lastIndexOf(10) : -1;
      bytes = endOfEvent === -1 ? bytes + chunk.byteLength : chunk.byteLength - endOfEvent;
      if (bytes <= MAX_MESSAGE_BYTES) return controller.enqueue(chunk);
      const reason = `it sent more than ${MAX_MESSAGE_BYTES} bytes at once`;
      onBroken(reason);
      controller.error(new AppError("too-large", reason));
    },
  });
  return new Response(response.body.pipeThrough(counter), response);
};

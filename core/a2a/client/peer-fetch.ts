import { A2AError } from "@a2a-js/sdk/errors";
import { AppError, messageOf } from "../../contract/app-error.ts";
import { appErrorIn, createGuardedFetch } from "../../net/index.ts";
import type { RemotePeer } from "../config.ts";

export interface PeerFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

const ANY_ADDRESS = ["0.0.0.0/0", "::/0"];

/**
 * Fetch for a remote agent. The configured address may be private, because an operator chose it; any other address comes
 * from the agent's card and must be public. Credentials go to the configured address only.
 */
export const peerFetch = (peer: RemotePeer, credentials: () => Record<string, string>): PeerFetch => {
  const origin = originOf(peer.url);
  const configured = createGuardedFetch({ allow: ANY_ADDRESS });
  const foreign = createGuardedFetch();
  return {
    fetch: async (input, init) => {
      const isConfigured = !(input instanceof Request) && originOf(String(input)) === origin;
      const headers = new Headers(init?.headers);
      if (isConfigured) for (const [name, value] of Object.entries(credentials())) headers.set(name, value);
      const response = isConfigured
        ? await configured.fetch(input, { ...init, headers })
        : await foreign.fetch(input, { ...init, headers }).catch((error) => {
            throw foreignAddressError(peer, String(input), error);
          });
      const refusal = refusalOf(peer, response.status);
      if (refusal === undefined) return response;
      await response.body?.cancel();
      throw refusal;
    },
    close: async () => {
      await Promise.all([configured.close(), foreign.close()]);
    },
  };
};

/** Treats all loopback names as one host: a gateway without a public URL puts "localhost" into its card. */
const originOf = (address: string): string => {
  const { protocol, hostname, port, origin } = new URL(address);
  return /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) ? `${protocol}//localhost:${port}` : origin;
};

/** Where an operator finds the settings of the agent. */
const settingOf = ({ name, setting = `a2a.peers.${name}` }: RemotePeer): string => setting;

const foreignAddressError = (peer: RemotePeer, address: string, error: unknown): unknown => {
  if (!(error instanceof AppError) || error.code !== "forbidden") return error;
  const { origin } = new URL(address);
  return new AppError(
    "forbidden",
    `its card points to ${origin}, which is neither public nor the address in ${settingOf(peer)}.url: change one of ` +
      "the two (the card of a Mooring contains its gateway.publicUrl)",
    { cause: error },
  );
};

/** "Not implemented" and "HTTP version not supported": a retry does not help. */
const PERMANENT = new Set([501, 505]);

/** Checks the status here, because the SDK only puts it into the error's text. */
const refusalOf = (peer: RemotePeer, status: number): AppError | undefined => {
  const { name } = peer;
  const how = `(HTTP ${status})`;
  if (status === 401 || status === 403) {
    return new AppError("unauthorised", `${name} rejected our credentials ${how}: check ${settingOf(peer)}`);
  }
  const isTemporary = status === 408 || status === 425 || status === 429 || (status >= 500 && !PERMANENT.has(status));
  return isTemporary ? new AppError("unavailable", `${name} is not available ${how}`) : undefined;
};

/** Codes of network errors: of the system, of undici, and of a truncated compressed body. */
const NETWORK = /^(?:E(?!PROTO$|RR_)[A-Z0-9_]+|UND_ERR_\w+|Z_BUF_ERROR)$/;

/**
 * Whether a retry may succeed: the peer did not answer, or answered "later". A retry does not help against a redirect, a
 * wrong address, rejected credentials, an untrusted certificate or a response outside the protocol.
 */
export const isUnreachable = (error: unknown): boolean => {
  const refusal = appErrorIn(error);
  if (refusal !== undefined) return refusal.code === "unavailable";
  // fetch rejects with a TypeError for every failure, with the code in its cause. A TypeError without a code is a
  // programming error in the code that parsed the response.
  return error instanceof TypeError && NETWORK.test(codeOf(error.cause));
};

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";

/** Failure text for operators, with addresses and settings. */
export const failureDetail = (error: unknown): string => {
  const refusal = appErrorIn(error);
  if (refusal !== undefined) return refusal.message;
  return error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${messageOf(error.cause) || codeOf(error.cause)}`
    : messageOf(error);
};

/** Failure text for people, without addresses, settings or the remote agent's own error text. */
export const failureText = (peer: string, error: unknown): string => {
  const code = appErrorIn(error)?.code;
  if (code === "unauthorised") return `${peer} did not accept the request.`;
  if (code === "too-large") return `The answer of ${peer} is too long.`;
  if (error instanceof A2AError) return `${peer} could not handle the request.`;
  if (error instanceof SyntaxError) return `${peer} sent an unreadable answer.`;
  return unreachableText(peer);
};

export const unreachableText = (peer: string): string => `Could not reach the agent ${peer}.`;

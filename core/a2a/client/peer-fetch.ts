import { AppError } from "../../contract/app-error.ts";
import type { RemotePeer } from "../config.ts";
import { createGuardedFetch } from "../guarded-fetch.ts";

export interface PeerFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

const EVERYWHERE = ["0.0.0.0/0", "::/0"];

/**
 * Fetch for a remote agent. The configured address may be private, because an operator chose it; any other address comes
 * from the agent's card and must be public. Credentials go to the configured address only.
 */
export const peerFetch = (peer: RemotePeer, credentials: () => Record<string, string>): PeerFetch => {
  const origin = originOf(peer.url);
  const chosen = createGuardedFetch({ allow: EVERYWHERE });
  const foreign = createGuardedFetch();
  return {
    fetch: async (input, init) => {
      const isChosen = !(input instanceof Request) && originOf(String(input)) === origin;
      const headers = new Headers(init?.headers);
      if (isChosen) for (const [name, value] of Object.entries(credentials())) headers.set(name, value);
      const response = isChosen
        ? await chosen.fetch(input, { ...init, headers })
        : await foreign.fetch(input, { ...init, headers }).catch((error) => {
            throw strayed(peer, String(input), error);
          });
      const refusal = refusalOf(peer, response.status);
      if (refusal === undefined) return response;
      await response.body?.cancel();
      throw refusal;
    },
    close: async () => {
      await Promise.all([chosen.close(), foreign.close()]);
    },
  };
};

/** Treats all loopback names as one host: a gateway without a public URL puts "localhost" into its card. */
const originOf = (address: string): string => {
  const { protocol, hostname, port, origin } = new URL(address);
  return /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) ? `${protocol}//localhost:${port}` : origin;
};

const strayed = ({ name }: RemotePeer, address: string, error: unknown): unknown => {
  if (!(error instanceof AppError) || error.code !== "forbidden") return error;
  const { origin } = new URL(address);
  return new AppError(
    "forbidden",
    `its card sends us to ${origin}, which is neither public nor the address in a2a.peers.${name}.url: one of the two ` +
      "is to be changed (the card of a Mooring has its gateway.publicUrl)",
    { cause: error },
  );
};

/** "Not implemented" and "HTTP version not supported": a retry does not help. */
const PERMANENT = new Set([501, 505]);

/** Checks the status here, because the SDK only puts it into the error's text. */
const refusalOf = ({ name }: RemotePeer, status: number): AppError | undefined => {
  const how = `(HTTP ${status})`;
  if (status === 401 || status === 403) {
    return new AppError("unauthorised", `${name} does not accept us ${how}: check a2a.peers.${name}`);
  }
  const isAway = status === 408 || status === 425 || status === 429 || (status >= 500 && !PERMANENT.has(status));
  return isAway ? new AppError("unavailable", `${name} is not available ${how}`) : undefined;
};

import { AppError } from "../../contract/app-error.ts";
import { createGuardedFetch } from "../guarded-fetch.ts";
import type { RemotePeer } from "./remote-peer.ts";

export interface PeerFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

const EVERYWHERE = ["0.0.0.0/0", "::/0"];

/**
 * Calls a remote agent. Whoever configured its address may have chosen a private one; any other address comes from its
 * card, and must be public. Credentials go to the configured address only.
 */
export const peerFetch = (peer: RemotePeer, credentials: () => Record<string, string>): PeerFetch => {
  const { origin } = new URL(peer.url);
  const chosen = createGuardedFetch({ allow: EVERYWHERE });
  const foreign = createGuardedFetch();
  return {
    fetch: async (input, init) => {
      const isChosen = !(input instanceof Request) && new URL(String(input)).origin === origin;
      const headers = new Headers(init?.headers);
      if (isChosen) for (const [name, value] of Object.entries(credentials())) headers.set(name, value);
      const response = await (isChosen ? chosen : foreign).fetch(input, { ...init, headers });
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

/** Told by its status, because the SDK has no other sign of it than words. */
const refusalOf = ({ name }: RemotePeer, status: number): AppError | undefined => {
  const how = `(HTTP ${status})`;
  if (status === 401 || status === 403) {
    return new AppError("forbidden", `${name} does not accept us ${how}: check a2a.peers.${name}`);
  }
  const isAway = status === 408 || status === 429 || status >= 500;
  return isAway ? new AppError("unavailable", `${name} is not available ${how}`) : undefined;
};

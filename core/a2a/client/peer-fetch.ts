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
      if (response.status !== 401 && response.status !== 403) return response;
      await response.body?.cancel();
      const advice = `check a2a.peers.${peer.name}`;
      throw new AppError("forbidden", `${peer.name} does not accept us (HTTP ${response.status}): ${advice}`);
    },
    close: async () => {
      await Promise.all([chosen.close(), foreign.close()]);
    },
  };
};

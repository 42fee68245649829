import type { RemotePeer } from "./client/remote-peer.ts";

/** Asks an agent elsewhere for its card. Loads the protocol's SDK only when it is called. */
export const probePeer = async (peer: RemotePeer, signal: AbortSignal): Promise<void> => {
  const client = await import("./client/probe-peer.ts");
  await client.probePeer(peer, signal);
};

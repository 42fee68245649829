import type { RemotePeer } from "./remote-peer.ts";

/** The agents elsewhere, and how we are called there. */
export interface RemoteAgents {
  readonly peers: readonly RemotePeer[];
  /** Of one of our agents, as others reach it. */
  ownAddress(agent: string): string;
  /** What its card says about it, once that was read. */
  describe(peer: RemotePeer): string | undefined;
}

export const noRemoteAgents: RemoteAgents = { peers: [], ownAddress: (agent) => agent, describe: () => undefined };

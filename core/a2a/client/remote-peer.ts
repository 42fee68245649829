import type { PeerConfig } from "../config.ts";

type Times = Partial<Pick<PeerConfig, "consultMs" | "deadlineMs" | "unreachableMs">>;

/** An agent elsewhere that is reached through the protocol. Without times of its own it has those of a local one. */
export interface RemotePeer extends Omit<PeerConfig, keyof Times>, Times {
  readonly name: string;
}

import { stableId } from "../lib/index.ts";
import type { PeerCall } from "./peer-call.ts";

/** Where a local peer hears what one conversation of another agent has to say to it: a session of its own (I4). */
export const peerSessionOf = ({ tenant, peer, agent, sessionId }: PeerCall): string =>
  stableId("s", "peer", tenant, peer, agent, sessionId);

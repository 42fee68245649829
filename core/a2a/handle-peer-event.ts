import type { Outcome } from "../contract/bus.ts";
import { ack } from "../contract/bus.ts";
import type { PeerCallAddress } from "../contract/peer-call-address.ts";
import { lookAtRemoteCall } from "./client/drive-remote-call.ts";
import { readCall } from "./peer-call.ts";
import type { PeerParts } from "./peer-parts.ts";

/** A webhook was called, or a question was answered: a hint to look now. What is true is what the remote agent says. */
export const handlePeerEvent = async (parts: PeerParts, address: PeerCallAddress): Promise<Outcome> => {
  const call = await readCall(parts.store, address);
  if (call?.remote === undefined || call.state !== "open") return ack;
  await lookAtRemoteCall(parts, { ...call, remote: call.remote });
  return ack;
};

import type { Outcome } from "../contract/bus.ts";
import { ack } from "../contract/bus.ts";
import type { PeerCallAddress } from "../contract/peer-call-address.ts";
import { readCall } from "./peer-call.ts";
import type { PeerParts } from "./peer-parts.ts";
import { lookAtRemoteCall, pauseAfter } from "./remote/drive-remote-call.ts";

/** Whoever was answered goes on soon; the call's own driver may have a long pause before it. */
const LOOKS_AFTER_ANSWER = 5;

/** A webhook was called, or a question was answered: a hint to look now. What is true is what the remote agent says. */
export const handlePeerEvent = async (
  parts: PeerParts,
  address: PeerCallAddress,
  attempt: number,
): Promise<Outcome> => {
  const call = await readCall(parts.store, address);
  if (call?.remote === undefined || call.state !== "open") return ack;
  await lookAtRemoteCall(parts, { ...call, remote: call.remote }, { isDriver: false });
  const after = await readCall(parts.store, address);
  if (after?.remote === undefined || after.state !== "open") return ack;
  const { answers, question, claimedUntil = 0 } = after.remote;
  // Somebody else is sending our answer, or has died over it.
  const claimedMs = claimedUntil - parts.clock.now();
  if (claimedMs > 0) return { retryInMs: claimedMs };
  const isAwaited = answers.length > 0 && question === undefined;
  return isAwaited && attempt <= LOOKS_AFTER_ANSWER ? { retryInMs: pauseAfter(attempt) } : ack;
};

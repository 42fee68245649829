import type { Outcome } from "../contract/bus.ts";
import { ack } from "../contract/bus.ts";
import type { PeerCallAddress } from "../contract/peer-call-address.ts";
import { subjectsOf } from "../contract/subjects.ts";
import { orderKey } from "../contract/user-message.ts";
import { noteFocus } from "./focus.ts";
import { noAnswer } from "./no-answer.ts";
import type { PeerCall } from "./peer-call.ts";
import { readCall } from "./peer-call.ts";
import type { PeerParts } from "./peer-parts.ts";
import { driveRemoteCall } from "./remote/drive-remote-call.ts";
import { settleCall, tellCaller } from "./settle-call.ts";
import { wakeMessage } from "./wake-message.ts";

/**
 * Brings a message to another agent on its way, and sees to it that it ends: the bus holds it until there is something
 * to look at, also across deaths. Silence up to the deadline is an outcome too.
 */
export const handlePeerCall = async (parts: PeerParts, address: PeerCallAddress): Promise<Outcome> => {
  const call = await readCall(parts.store, address);
  if (call === undefined) {
    parts.logger.warn({ call: address.id, agent: address.agent }, "no record of a message to another agent");
    return ack;
  }
  if (call.remote !== undefined) return driveRemoteCall(parts, { ...call, remote: call.remote });
  if (call.mode === "notify") {
    await wakePeer(parts, call);
    return ack;
  }
  if (call.state !== "open") {
    await tellCaller(parts, call);
    return ack;
  }
  const leftMs = call.deadlineAt - parts.clock.now();
  if (leftMs <= 0) {
    await settleCall(parts, call, { error: noAnswer(call) });
    return ack;
  }
  if (call.mode === "task_delegate") await noteFocus(parts, call);
  await wakePeer(parts, call);
  return { retryInMs: leftMs };
};

/** A message from a peer always wakes (A4): waking twice is one turn, by the message's id. */
const wakePeer = async ({ bus, checkpoint }: PeerParts, call: PeerCall): Promise<void> => {
  const message = wakeMessage(call);
  await bus.publish(subjectsOf(call.tenant).userMessage(call.peer), message, {
    id: message.id,
    key: orderKey(message),
  });
  await checkpoint("peer.woken");
};

/** A message that could not be handled in any attempt: the caller gets an error (A7). */
export const handleBuriedCall = (parts: PeerParts, address: PeerCallAddress): Promise<void> =>
  settleCall(parts, address, {
    error: "The message could not be handed over.",
    detail: "the message is a dead letter; the log has the error of each attempt",
  });

import type { PeerCallAddress } from "../contract/messages/addresses.ts";
import { subjectsOf } from "../contract/messages/subjects.ts";
import { ack, type Consumer, type Outcome } from "../contract/ports/bus.ts";
import { deadLetterFallback } from "../lib/index.ts";
import type { Agent } from "../turns/index.ts";
import { handleLateNotification } from "./calls/late-answer-turn.ts";
import { settleCall } from "./calls/settle-call.ts";
import type { PeerDeps } from "./deps.ts";
import { driveLocalCall } from "./local/peer-request.ts";
import { readCall } from "./record/peer-call.ts";
import { driveRemoteCall, handlePeerEvent } from "./remote/drive-remote-call.ts";

/** High, because a call to a remote agent may hold its slot as long as it streams. */
const MAX_CONCURRENT_CALLS = 1_000;
const MAX_CONCURRENT_HANDLERS = 64;

/** Consumes an agent's calls to other agents and the events that follow. */
export const startPeers = async (deps: PeerDeps, agent: Agent): Promise<Consumer[]> => {
  const { bus, callEvents, logger } = deps;
  const subjects = subjectsOf(agent.tenant);
  const sender = { tenant: agent.tenant, agent: agent.name };
  await callEvents.listenTo(bus, subjects.peerCallChanged(agent.name));
  await deps.settings.isAsync(agent.tenant);
  const options = { durable: "peers", concurrency: MAX_CONCURRENT_HANDLERS };
  return Promise.all([
    bus.consume(
      subjects.peerCall(agent.name),
      {
        ...options,
        concurrency: MAX_CONCURRENT_CALLS,
        // The message id is the call's id, so the dead letter names the call even if its body is unreadable.
        onDeadLetter: (_, letter) =>
          deadLetterFallback(logger, letter, () => handleDeadCall(deps, { ...sender, id: letter.id })),
      },
      (address) => handlePeerCall(deps, address),
    ),
    bus.consume(subjects.peerEvent(agent.name), options, (address, { attempt }) =>
      handlePeerEvent(deps, address, attempt),
    ),
    bus.consume(subjects.lateNotification(agent.name), options, (late, { attempt }) =>
      handleLateNotification(deps, agent.peering.lateWindowMs, late, attempt),
    ),
  ]);
};

const handlePeerCall = async (deps: PeerDeps, address: PeerCallAddress): Promise<Outcome> => {
  const call = await readCall(deps.store, address);
  if (call === undefined) {
    deps.logger.warn({ call: address.id, agent: address.agent }, "peer call has no record, dropped");
    return ack;
  }
  const { remote } = call;
  return remote === undefined ? driveLocalCall(deps, call) : driveRemoteCall(deps, { ...call, remote });
};

/** A call whose every attempt failed ends with an error for the caller (A7). */
const handleDeadCall = (deps: PeerDeps, address: PeerCallAddress): Promise<void> =>
  settleCall(deps, address, {
    error: "The message could not be delivered.",
    detail: "the message is a dead letter; the log has the error of each attempt",
  });

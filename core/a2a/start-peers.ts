import type { Consumer } from "../contract/bus.ts";
import { subjectsOf } from "../contract/subjects.ts";
import { lastResort } from "../subtasks/index.ts";
import type { Agent } from "../turns/index.ts";
import { handleLateNotification } from "./handle-late-notification.ts";
import { handleBuriedCall, handlePeerCall } from "./handle-peer-call.ts";
import { handlePeerEvent } from "./handle-peer-event.ts";
import type { PeerParts } from "./peer-parts.ts";

/** A message to a remote agent may be listened to for long; others must find room beside it. */
const CALLS_AT_ONCE = 1_000;
const HANDLERS_AT_ONCE = 64;

/** Takes up an agent's messages to others, and what comes of them. */
export const startPeers = async (parts: PeerParts, agent: Agent): Promise<Consumer[]> => {
  const { bus, callEvents, logger } = parts;
  const subjects = subjectsOf(agent.tenant);
  const place = { tenant: agent.tenant, agent: agent.name };
  await callEvents.listenTo(bus, subjects.peerCallChanged(agent.name));
  await parts.settings.isAsync(agent.tenant);
  const several = { durable: "peers", concurrency: HANDLERS_AT_ONCE };
  return Promise.all([
    bus.consume(
      subjects.peerCall(agent.name),
      {
        ...several,
        concurrency: CALLS_AT_ONCE,
        // It is published with the call's id, so the letter names it even if the message is garbled.
        buried: (_, letter) => lastResort(logger, letter, () => handleBuriedCall(parts, { ...place, id: letter.id })),
      },
      (address) => handlePeerCall(parts, address),
    ),
    bus.consume(subjects.peerEvent(agent.name), several, (address, { attempt }) =>
      handlePeerEvent(parts, address, attempt),
    ),
    bus.consume(subjects.lateNotification(agent.name), several, (late, { attempt }) =>
      handleLateNotification(parts, agent.peering.lateWindowMs, late, attempt),
    ),
  ]);
};

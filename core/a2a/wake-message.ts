import type { UserMessage } from "../contract/user-message.ts";
import { peerWakeIdOf } from "../subtasks/index.ts";
import type { PeerCall } from "./peer-call.ts";
import { peerSessionOf } from "./peer-session.ts";
import { wakeText } from "./wake-text.ts";

/** The turn of a local peer that a message to it is. Its words go back to the call, never to people (A5). */
export const wakeMessage = (call: PeerCall): UserMessage => {
  const { id, tenant, agent, peer, origin, audience, asker, chain, createdAt, traceId } = call;
  const sessionId = peerSessionOf(call);
  return {
    id: peerWakeIdOf(agent, id),
    tenant,
    agent: peer,
    conversation: audience.conversation,
    account: { id: asker.accountId, name: asker.name },
    text: wakeText(call),
    attachments: [],
    synthetic: {
      type: "peer",
      sessionId,
      origin,
      audience,
      asker,
      owner: {
        ownerType: "orchestrator",
        ownerId: sessionId,
        worksFor: { kind: "peer-call", tenant, agent, id },
      },
      background: true,
      chain,
      data: { mode: call.mode },
    },
    sentAt: createdAt,
    traceId,
  };
};

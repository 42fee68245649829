import { messageOf } from "../../contract/app-error.ts";
import type { PeerCallAddress } from "../../contract/messages/addresses.ts";
import type { PeerMode } from "../../contract/messages/inbound-call.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import {
  orderKey,
  type SyntheticMessage,
  type SyntheticMessageOf,
  syntheticMessage,
} from "../../contract/messages/user-message.ts";
import { ack, type Outcome } from "../../contract/ports/bus.ts";
import { cutToBytes } from "../../lib/index.ts";
import { MAX_NOTE_BYTES, WorkingMemory } from "../../memory/index.ts";
import type { Agent, CoreDeps } from "../../turns/index.ts";
import type { TurnPrompt } from "../../turns/source/index.ts";
import { noAnswer, notifyCaller, settleCall } from "../calls/settle-call.ts";
import type { PeerDeps } from "../deps.ts";
import { type PeerCall, peerRequestIdOf, peerSessionOf } from "../record/peer-call.ts";

/** The message that starts a local peer's turn. Its reply goes back to the call, never to people (A5). */
export const peerRequestMessage = (call: PeerCall): SyntheticMessage => {
  const { id, tenant, agent, peer, mode, chain, createdAt } = call;
  const sessionId = peerSessionOf(call);
  const owner = {
    ownerType: "orchestrator",
    ownerId: sessionId,
    worksFor: { kind: "peer-call", tenant, agent, id },
  } as const;
  // The agent may do what both the caller and those who caused the call may do (R1).
  const asker = { ...call.asker, causes: [...(call.asker.causes ?? []), { speaker: "peer" as const, id: agent }] };
  const work = { ...call, asker, sessionId, standing: { owner, background: true, chain } };
  return syntheticMessage({ tenant, agent: peer }, work, {
    id: peerRequestIdOf(agent, id),
    type: "peer",
    at: createdAt,
    text: peerRequestText(call),
    data: { mode },
  });
};

/** Instruction in front of the message. */
const INSTRUCTIONS: Readonly<Record<PeerMode, string>> = {
  notify:
    "This is information, not a request: the other agent expects no answer. Save it or act on it if needed. Do not " +
    "reply unless you have a genuine question.",
  task_delegate:
    "The other agent asks you to do this. Your final text is the result: the other agent gets nothing else.",
  consult: "The other agent asks you a question and waits. Your text is the answer: be brief.",
};

/** The message as prompt text: it is a colleague's request, not a directive. */
const peerRequestText = ({ agent, mode, message }: Pick<PeerCall, "agent" | "mode" | "message">): string =>
  `[message from the agent ${agent}] ${INSTRUCTIONS[mode]} No person sees your reply.\n\n${message}`;

/**
 * Prompt of a turn that another agent's message starts (A5). A notification or question gets a small budget of tool
 * rounds, delegated work gets the agent's full budget. Only a notification needs no answer.
 */
export const peerRequestPrompt = (agent: Agent, { text, synthetic }: SyntheticMessageOf<"peer">): TurnPrompt => ({
  text,
  mustReply: synthetic.data.mode !== "notify",
  obsolete: false,
  toolRounds:
    synthetic.data.mode === "task_delegate"
      ? agent.maxToolRounds
      : Math.min(agent.maxToolRounds, agent.peering.wakeToolRounds),
});

/**
 * Starts the local peer's turn and makes sure that the call ends: the bus redelivers the call at its deadline, even after
 * a crash, and a call without an answer by then fails.
 */
export const driveLocalCall = async (deps: PeerDeps, call: PeerCall): Promise<Outcome> => {
  if (call.mode === "notify") {
    await publishRequest(deps, call);
    return ack;
  }
  if (call.state !== "open") {
    await notifyCaller(deps, call);
    return ack;
  }
  const leftMs = call.deadlineAt - deps.clock.now();
  if (leftMs <= 0) {
    await settleCall(deps, call, { error: noAnswer(call) });
    return ack;
  }
  if (call.mode === "task_delegate") await saveDelegationNote(deps, call);
  await publishRequest(deps, call);
  return { retryInMs: leftMs };
};

/** Each message starts a turn (A4); the bus deduplicates a repeat by the message's id. */
const publishRequest = async ({ bus, checkpoint }: PeerDeps, call: PeerCall): Promise<void> => {
  const message = peerRequestMessage(call);
  await bus.publish(subjectsOf(call.tenant).userMessage(call.peer), message, {
    id: message.id,
    key: orderKey(message),
  });
  await checkpoint("peer.requested");
};

type Deps = Pick<CoreDeps, "store" | "clock" | "logger">;

const noteKey = ({ id }: Pick<PeerCallAddress, "id">): string => `focus/${id}`;

/** Saves the delegated request in the local peer's memory (A6). A failure does not stop the work (A7). */
const saveDelegationNote = async ({ store, clock, logger }: Deps, call: PeerCall): Promise<void> => {
  const { id, agent, message, createdAt, deadlineAt, traceId } = call;
  const text = `Asked by ${agent} at ${createdAt}:\n\n${message}`;
  try {
    const memory = new WorkingMemory(store, clock, peerSessionOf(call));
    await memory.save(noteKey(call), cutToBytes(text, MAX_NOTE_BYTES), Math.max(1, deadlineAt - clock.now()));
  } catch (error) {
    logger.warn({ call: id, traceId, error: messageOf(error) }, "could not save delegation note");
  }
};

/** A note that could not be deleted expires. */
export const deleteDelegationNote = async (
  { store, clock, logger }: Deps,
  sessionId: string,
  call: Pick<PeerCallAddress, "id">,
): Promise<void> => {
  try {
    await new WorkingMemory(store, clock, sessionId).delete(noteKey(call));
  } catch (error) {
    logger.warn({ call: call.id, error: messageOf(error) }, "could not delete delegation note");
  }
};

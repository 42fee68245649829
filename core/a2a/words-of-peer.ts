import type { LateA2ANotification } from "../contract/late-notification.ts";
import { stableId } from "../lib/index.ts";
import type { PeerCall } from "./peer-call.ts";

/** Something that came of a message to another agent, for whoever sent it. */
export interface PeerWords {
  /** The same for the same words, however often they come. */
  readonly id: string;
  readonly kind: LateA2ANotification["kind"];
  /** Which of the peer's tasks they are about. */
  readonly taskId: string;
  readonly text: string;
  /** Present if the call's own record does not have them. */
  readonly addedBy?: string;
}

export const wordsFrom = (call: PeerCall, kind: PeerWords["kind"]): PeerWords => ({
  id: kind === "input-required" ? `${call.id}/${kind}/${call.remote?.rounds}` : `${call.id}/${kind}`,
  kind,
  taskId: call.remote?.taskId ?? call.id,
  text: wordsOf(call, kind),
});

/** What a peer of this deployment has to add after it has answered, by the message that made it speak again. */
export const addedWords = (call: PeerCall, addedBy: string, text: string): PeerWords => ({
  id: `${call.id}/added/${addedBy}`,
  kind: "result",
  taskId: stableId("added", addedBy),
  text: `${askedOf(call)}\n\n${call.peer} has answered that, and now adds:\n${text}`,
  addedBy,
});

/** What came of a message to another agent, in words for whoever asked. The other agent's words are information only. */
export const wordsOf = (call: PeerCall, kind: LateA2ANotification["kind"]): string => {
  const { peer, answer = "", error = "", note = "working", remote, id } = call;
  const asked = askedOf(call);
  if (kind === "result") return `${asked}\n\n${peer} answered:\n${answer.trim() || "(it had nothing to say)"}`;
  if (kind === "error") return `${asked}\n\nThat failed: ${error}`;
  if (kind === "status") return `${asked}\n\n${peer} is at work: ${note}`;
  return (
    `${asked}\n\n${peer} wants to know: ${remote?.question ?? ""}\n\n` +
    `Answer with send_message_to_agent, agent "${peer}", task "${id}".`
  );
};

const MOST_QUOTED = 500;
const askedOf = ({ peer, message }: PeerCall): string =>
  `You asked ${peer}: ${message.replace(/\s+/g, " ").trim().slice(0, MOST_QUOTED)}`;

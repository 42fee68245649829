import type { LateA2ANotification } from "../contract/late-notification.ts";
import type { PeerCall } from "./peer-call.ts";

/** What came of a message to another agent, in words for whoever asked. The other agent's words are information only. */
export const wordsOf = (call: PeerCall, kind: LateA2ANotification["kind"]): string => {
  const { peer, message, answer = "", error = "", note = "working", remote, id } = call;
  const asked = `You asked ${peer}: ${oneLine(message)}`;
  if (kind === "result") return `${asked}\n\n${peer} answered:\n${answer.trim() || "(it had nothing to say)"}`;
  if (kind === "error") return `${asked}\n\nThat failed: ${error}`;
  if (kind === "status") return `${asked}\n\n${peer} is at work: ${note}`;
  return (
    `${asked}\n\n${peer} wants to know: ${remote?.question ?? ""}\n\n` +
    `Answer with send_message_to_agent, agent "${peer}", task "${id}".`
  );
};

const MOST_QUOTED = 500;
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, MOST_QUOTED);

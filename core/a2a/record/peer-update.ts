import { type FileRef, namesOfFiles } from "../../contract/file-ref.ts";
import type { LateA2ANotification } from "../../contract/messages/subtask.ts";
import { stableId } from "../../lib/index.ts";
import type { PeerCall } from "./peer-call.ts";

/** An update about a call, addressed to the sender of the call. */
export interface PeerUpdate {
  /** A repeated update has the same id. */
  readonly id: string;
  readonly kind: LateA2ANotification["kind"];
  /** The peer's task that the update is about. */
  readonly taskId: string;
  readonly text: string;
  readonly files?: readonly FileRef[];
  /** The message that caused an addition; the call's record does not contain its text. */
  readonly addedBy?: string;
}

export const updateFrom = (call: PeerCall, kind: PeerUpdate["kind"]): PeerUpdate => ({
  id: kind === "input-required" ? `${call.id}/${kind}/${call.remote?.rounds}` : `${call.id}/${kind}`,
  kind,
  taskId: call.remote?.taskId ?? call.id,
  text: updateText(call, kind),
  ...(kind === "result" && call.files !== undefined && { files: call.files }),
});

/** An addition that a local peer makes after its answer; `addedBy` is the message that started the turn. */
export const additionFrom = (call: PeerCall, addedBy: string, text: string): PeerUpdate => ({
  id: `${call.id}/added/${addedBy}`,
  kind: "result",
  taskId: stableId("added", addedBy),
  text: `${askedOf(call)}\n\n${call.peer} has answered that, and now adds:\n${text}`,
  addedBy,
});

/** The update as prompt text for the sender. */
export const updateText = (call: PeerCall, kind: LateA2ANotification["kind"]): string => {
  const { peer, error = "", note = "working", remote, id } = call;
  const asked = askedOf(call);
  if (kind === "result") return `${asked}\n\n${peer} answered:\n${answerText(call)}`;
  if (kind === "error") return `${asked}\n\nThat failed: ${error}`;
  if (kind === "status") return `${asked}\n\n${peer} is working: ${note}`;
  return (
    `${asked}\n\n${peer} wants to know: ${remote?.question ?? ""}\n\n` +
    `Answer with send_message_to_agent, agent "${peer}", task "${id}".`
  );
};

/** The answer, with the names of its files. */
export const answerText = ({ answer = "", files = [] }: Pick<PeerCall, "answer" | "files">): string => {
  const made = files.length === 0 ? "" : `[files, which people get with your answer: ${namesOfFiles(files)}]`;
  return [answer.trim(), made].filter((text) => text !== "").join("\n") || "(an empty answer)";
};

const MAX_QUOTED_CHARS = 500;
const askedOf = ({ peer, message }: PeerCall): string =>
  `You asked ${peer}: ${message.replace(/\s+/g, " ").trim().slice(0, MAX_QUOTED_CHARS)}`;

import { type PeerCall, unreachableNote } from "../../../core/a2a/index.ts";
import type { Trace } from "../../admin-api/index.ts";

const MAX_ERROR_CHARS = 300;

export const shownHop = (call: PeerCall): Trace["hops"][number] => {
  const {
    id,
    agent,
    peer,
    mode,
    headline,
    turnId,
    standing: delegationContext,
    state,
    createdAt,
    endedAt,
    remote,
  } = call;
  const error = problemOf(call);
  return {
    id,
    turnId,
    ...(delegationContext.subtaskId !== undefined && { subtask: delegationContext.subtaskId }),
    agent,
    peer,
    isRemote: remote !== undefined,
    mode,
    headline,
    state,
    ...(error !== undefined && { error: error.slice(0, MAX_ERROR_CHARS) }),
    ...(remote?.taskId !== undefined && { remoteTask: remote.taskId }),
    createdAt,
    ...(endedAt !== undefined && { endedAt }),
  };
};

/** Operators read the technical reason; people in chat get `error` only. */
const problemOf = (call: PeerCall): string | undefined => {
  const { state, error, detail } = call;
  const unreachable = unreachableNote(call);
  if (unreachable !== undefined) return `${unreachable}: ${detail ?? "no answer"}`;
  return state === "failed" ? (detail ?? error) : undefined;
};

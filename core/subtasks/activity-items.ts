import type { PeerCall } from "../a2a/peer-call.ts";
import type { ActivityItem } from "../contract/activity.ts";
import type { ReplyAction } from "../contract/agent-reply.ts";
import type { Subtask } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import { cutAtGraphemes } from "../origin/summarise-prompt.ts";
import { cancelAction } from "./cancel-action.ts";

const RESULT_CHARS = 300;

/** One line of the activity entry, with what decides about its place in time. */
export interface WorkItem {
  readonly item: ActivityItem;
  /** Grows with every change, and is the same in every process. */
  readonly revision: number;
  readonly endedAt: string | undefined;
  /** What ends it, as long as it can be ended. */
  readonly action?: ReplyAction;
}

const stages = { pending: 0, running: 1, completed: 2, failed: 2, cancelled: 2 } as const;

export const itemOfSubtask = (subtask: Subtask): WorkItem => {
  const { id, name, status, startedAt, completedAt, note, notes, result } = subtask;
  return {
    item: {
      id,
      name,
      state: status,
      ...(startedAt !== undefined && { startedAt }),
      ...(completedAt !== undefined && { endedAt: completedAt }),
      ...(note !== undefined && { note }),
      ...(result !== undefined && { result: short(result.output.trim() || (result.error ?? "")) }),
    },
    revision: 1 + stages[status] + notes,
    endedAt: completedAt,
    ...(!hasEnded(subtask) && { action: cancelAction(subtask) }),
  };
};

/** A message to another agent is under way from the moment it is sent. */
export const itemOfCall = ({
  id,
  headline,
  state,
  createdAt,
  endedAt,
  note,
  notes,
  answer,
  error,
}: PeerCall): WorkItem => {
  const shown = ({ open: "running", answered: "completed", failed: "failed" } as const)[state];
  const result = answer ?? error;
  return {
    item: {
      id,
      name: headline,
      state: shown,
      startedAt: createdAt,
      ...(endedAt !== undefined && { endedAt }),
      ...(note !== undefined && { note }),
      ...(result !== undefined && { result: short(result) }),
    },
    revision: 1 + stages[shown] + notes,
    endedAt,
  };
};

const short = (text: string): string => cutAtGraphemes(text.replace(/\s+/g, " ").trim(), RESULT_CHARS);

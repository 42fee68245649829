import type { ActivityItem } from "../contract/activity.ts";
import type { ReplyAction } from "../contract/agent-reply.ts";
import type { Subtask } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import { cutAtGraphemes } from "../lib/index.ts";
import { describeChanges } from "../workspaces/index.ts";
import { cancelAction, changeActions } from "./subtask-actions.ts";

const RESULT_CHARS = 300;

/** One line of the activity entry, with what decides about its place in time. */
export interface WorkItem {
  readonly item: ActivityItem;
  /** Grows with every change, and is the same in every process. */
  readonly revision: number;
  readonly endedAt: string | undefined;
  /** What can be done about it: it can be ended, or what it has changed can be taken or left. */
  readonly actions: readonly ReplyAction[];
}

export const stages = { pending: 0, running: 1, completed: 2, failed: 2, cancelled: 2 } as const;

export const itemOfSubtask = (subtask: Subtask): WorkItem => {
  const { id, name, status, startedAt, completedAt, note, notes, result } = subtask;
  const artifacts = result?.artifacts?.files ? result.artifacts : undefined;
  return {
    item: {
      id,
      name,
      state: status,
      ...(startedAt !== undefined && { startedAt }),
      ...(completedAt !== undefined && { endedAt: completedAt }),
      ...(note !== undefined && { note }),
      ...(result !== undefined && { result: shortResult(result.output.trim() || (result.error ?? "")) }),
      ...(artifacts && { changes: describeChanges(artifacts) }),
    },
    revision: 1 + stages[status] + notes,
    endedAt: completedAt,
    actions: hasEnded(subtask)
      ? (artifacts ? changeActions : []).map((action) => action(subtask))
      : [cancelAction(subtask)],
  };
};

export const shortResult = (text: string): string => cutAtGraphemes(text.replace(/\s+/g, " ").trim(), RESULT_CHARS);

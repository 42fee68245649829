import type { Subtask } from "../contract/subtask.ts";
import type { SubtaskAddress } from "../contract/subtask-message.ts";
import { waitForChange } from "../turns/index.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { readSubtasks } from "./subtask-record.ts";

export interface WaitOptions {
  readonly place: Pick<SubtaskAddress, "tenant" | "agent">;
  readonly ids: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Looked at on every change. One that has expired is not among them. */
  isDone(subtasks: readonly Subtask[]): boolean;
}

/** The subtasks as they are once they are done, or when the time is up. Rejects if the signal is aborted. */
export const waitUntil = ({ clock, events, store }: SubtaskParts, wait: WaitOptions): Promise<Subtask[]> =>
  waitForChange<Subtask[]>({ ...wait, clock, events, read: () => readSubtasks(store, wait.place, wait.ids) });

import type { Subtask } from "../contract/subtask.ts";
import { waitForChange } from "../turns/wait-for-change.ts";
import { openCalls } from "./batch.ts";
import { readOwner } from "./owner-record.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

type Address = Pick<Subtask, "tenant" | "agent" | "id">;

/** Messages to other agents that a subtask has sent and that have no answer yet. */
export const outstandingCalls = async ({ store }: Pick<SubtaskParts, "store">, subtask: Address): Promise<string[]> => {
  const { tenant, agent, id: ownerId } = subtask;
  const { batches } = await readOwner(store, { tenant, agent, ownerId });
  return Object.values(batches)
    .flatMap(openCalls)
    .map(({ id }) => id);
};

/** A subtask waits for other agents before it ends (S10); they have told it something by then, or its time is up. */
export const waitForCalls = async (
  parts: SubtaskParts,
  subtask: Address,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> => {
  const { clock, callEvents: events } = parts;
  const ids = await outstandingCalls(parts, subtask);
  if (ids.length === 0) return;
  const read = () => outstandingCalls(parts, subtask);
  await waitForChange({ clock, events, ids, timeoutMs, signal, read, isDone: (open) => open.length === 0 });
};

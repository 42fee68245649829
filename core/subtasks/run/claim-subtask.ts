import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import { hasEnded, type Subtask } from "../../contract/messages/subtask.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Stored } from "../../contract/ports/store.ts";
import type { CoreDeps } from "../../turns/index.ts";
import { begun, changeStored, readStored, reportChange } from "../record/change-subtask.ts";
import { subtaskKey, subtasksRead } from "../record/subtask-record.ts";

/** Claims a subtask after a run that did not end it, and counts the run. An ended subtask stays unchanged. */
export const claimAgain = (deps: CoreDeps, address: SubtaskAddress): Promise<Stored<Subtask> | undefined> =>
  changeStored(deps, address, (subtask) =>
    hasEnded(subtask) ? subtask : { ...begun(subtask, isoTime(deps.clock.now())), runs: subtask.runs + 1 },
  );

/**
 * Claims a subtask for the first time. Signals the start without storing it: DeferredStartWrite does that. The process
 * that created the subtask uses its cached record; the compare-and-set of the next write finds concurrent changes.
 */
export const claimFirst = async (deps: CoreDeps, address: SubtaskAddress): Promise<Stored<Subtask> | undefined> => {
  const stored = subtasksRead.peek(deps.store, subtaskKey(address)) ?? (await readStored(deps, address));
  if (stored?.value.status !== "pending") return stored;
  const value = begun(stored.value, isoTime(deps.clock.now()));
  reportChange(deps, stored.value, value);
  return { ...stored, value };
};

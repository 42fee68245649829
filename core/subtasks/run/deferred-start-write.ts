import { messageOf } from "../../contract/app-error.ts";
import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import type { Subtask } from "../../contract/messages/subtask.ts";
import { isoTime, type Timer } from "../../contract/ports/clock.ts";
import type { Stored } from "../../contract/ports/store.ts";
import type { CoreDeps } from "../../turns/index.ts";
import { begun, changeStored, readStored, reportChange, signalChange } from "../record/change-subtask.ts";
import { subtaskKey, subtasksRead, writeSubtask } from "../record/subtask-record.ts";

/**
 * Claims a subtask for the first time. Signals the start without storing it: DeferredStartWrite does that. The process
 * that created the subtask uses its cached record; the compare-and-set of the next write finds concurrent changes. Saves 3
 * of 10 reads for a batch of three, and on NATS 7 to 11 % of CPU (docs/performance.md, Saved round trips).
 */
export const claimFirst = async (deps: CoreDeps, address: SubtaskAddress): Promise<Stored<Subtask> | undefined> => {
  const stored = subtasksRead.peek(deps.store, subtaskKey(address)) ?? (await readStored(deps, address));
  if (stored?.value.status !== "pending") return stored;
  const value = begun(stored.value, isoTime(deps.clock.now()));
  reportChange(deps, stored.value, value);
  return { ...stored, value };
};

/** Stores the start, unless the subtask has changed since it was claimed. */
const writeStart = async (deps: CoreDeps, { value, revision }: Stored<Subtask>): Promise<Stored<Subtask>> => {
  const written = await writeSubtask(deps.store, value, revision);
  if (written !== undefined) {
    signalChange(deps, value);
    return written;
  }
  const note = (subtask: Subtask) => (subtask.status === "pending" ? begun(subtask, value.startedAt) : subtask);
  const noted = await changeStored(deps, value, note);
  // The subtask may have been ended before its run watched it.
  if (noted) signalChange(deps, noted.value);
  return noted ?? { value, revision };
};

/** A subtask that ends sooner is stored as ended only. */
const AFTER_MS = 50;

/**
 * Stores the start of a subtask after a delay.
 *
 * Saves one write for each subtask that ends within AFTER_MS: 3 of 17 for a batch of three, and on NATS 9 to 11 %
 * of CPU (docs/performance.md, Saved round trips). The plain way is to store the start when the subtask is claimed
 * (claimAgain).
 */
export class DeferredStartWrite {
  readonly #timer: Timer;
  #writing: Promise<Stored<Subtask> | undefined> = Promise.resolve(undefined);

  constructor(deps: CoreDeps, claimed: Stored<Subtask>) {
    this.#timer = deps.clock.after(AFTER_MS, () => {
      this.#writing = writeStart(deps, claimed).catch((error) => {
        // The run goes on without it, because the end of the subtask is stored in any case.
        deps.logger.debug({ subtask: claimed.value.id, error: messageOf(error) }, "could not store subtask start");
        return undefined;
      });
    });
  }

  /** Cancels a write that has not begun. Resolves to the stored subtask if its start was written. */
  async close(): Promise<Stored<Subtask> | undefined> {
    this.#timer.cancel();
    return this.#writing;
  }
}

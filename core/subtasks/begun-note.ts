import { messageOf } from "../contract/app-error.ts";
import type { Timer } from "../contract/clock.ts";
import type { Stored } from "../contract/store.ts";
import type { Subtask } from "../contract/subtask.ts";
import type { CoreParts } from "../turns/index.ts";
import { noteBegun } from "./change-subtask.ts";

/** What is done before this is stored as done, and never as begun. */
const AFTER_MS = 50;

/** Stores that a subtask was begun, once it takes more than a moment. Others see it by then at the latest. */
export class BegunNote {
  readonly #timer: Timer;
  #noting: Promise<Stored<Subtask> | undefined> = Promise.resolve(undefined);

  constructor(parts: CoreParts, claimed: Stored<Subtask>) {
    this.#timer = parts.clock.after(AFTER_MS, () => {
      this.#noting = noteBegun(parts, claimed).catch((error) => {
        // It is told all the same, and its end will be stored.
        parts.logger.debug({ subtask: claimed.value.id, error: messageOf(error) }, "its beginning is not stored");
        return undefined;
      });
    });
  }

  /** From here on it is not noted any more. Resolves to the subtask as it was noted, if it was. */
  async close(): Promise<Stored<Subtask> | undefined> {
    this.#timer.cancel();
    return this.#noting;
  }
}

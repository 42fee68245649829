import { AppError } from "../../contract/app-error.ts";
import { hasEnded, type Subtask, type SubtaskNote } from "../../contract/messages/subtask.ts";
import type { Stored } from "../../contract/ports/store.ts";
import type { ChatMessage } from "../../model/index.ts";
import { messageHeading } from "../batch/continuation-prompt.ts";
import type { SubtaskDeps } from "../deps.ts";
import { subtaskKey, subtasksRead } from "../record/subtask-record.ts";

/** Reads the notes for a running subtask, and throws SubtaskStopped if it has to stop. */
export class SubtaskInbox {
  readonly #deps: SubtaskDeps;
  #latest: Stored<Subtask>;
  #readCount = 0;
  #isFresh = true;

  /** The claimed record is fresh, so the first check needs no read. */
  constructor(deps: SubtaskDeps, claimed: Stored<Subtask>) {
    this.#deps = deps;
    this.#latest = claimed;
  }

  /** The record as last read. */
  get latest(): Stored<Subtask> {
    return this.#latest;
  }

  hasReadAll(subtask: Subtask): boolean {
    return this.unreadIn(subtask).length === 0;
  }

  /** Without progress of children: it is read with the next step and does not justify one more turn. */
  unreadIn({ inbox }: Subtask): readonly SubtaskNote[] {
    return inbox.slice(this.#readCount).filter(({ child }) => child?.type !== "status_update");
  }

  /** Marks all notes as read and returns the new ones as messages to the model. */
  async takeUnread(): Promise<ChatMessage[]> {
    const { id, inbox, stopRequestedAt, ...subtask } = await this.#refresh();
    if (hasEnded(subtask) || stopRequestedAt !== undefined) throw new SubtaskStopped(id);
    const unread = inbox.slice(this.#readCount);
    this.#readCount = inbox.length;
    return unread.map((note) => ({ role: "user", text: `${headingOf(note)}\n${note.content}` }));
  }

  async #refresh(): Promise<Subtask> {
    if (!this.#isFresh) {
      const stored = await subtasksRead.get(this.#deps.store, subtaskKey(this.#latest.value));
      if (stored === undefined) throw new SubtaskStopped(this.#latest.value.id);
      this.#latest = stored;
    }
    this.#isFresh = false;
    return this.#latest.value;
  }
}

const headingOf = ({ type, from, child, isApproval }: SubtaskNote): string => {
  if (child !== undefined) return messageHeading(child);
  if (isApproval) return "[outcome of a call that waited for an approval]";
  return from === undefined ? `[${type} from your owner]` : `[${type} from the agent "${from}"]`;
};

/** Stops the run of a subtask that was ended by others or reached its ceiling. */
export class SubtaskStopped extends AppError {
  constructor(id: string) {
    super("stopped", `${id} was stopped`);
  }
}

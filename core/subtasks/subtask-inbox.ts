import type { Stored } from "../contract/store.ts";
import type { Subtask, SubtaskNote } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { ChatMessage } from "../model/index.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { subtaskKey, subtasksRead } from "./subtask-record.ts";
import { SubtaskStopped } from "./subtask-stopped.ts";
import { wordHeading } from "./word-heading.ts";

/** What a subtask is told while it works. Looking also finds out whether it is still to be worked on. */
export class SubtaskInbox {
  readonly #parts: SubtaskParts;
  #latest: Stored<Subtask>;
  #seen = 0;
  #isFresh = true;

  /** As it was claimed just now: the first look needs no other. */
  constructor(parts: SubtaskParts, claimed: Stored<Subtask>) {
    this.#parts = parts;
    this.#latest = claimed;
  }

  /** As it was at the last look. */
  get latest(): Stored<Subtask> {
    return this.#latest;
  }

  hasSeen({ inbox }: Subtask): boolean {
    return inbox.length <= this.#seen;
  }

  unseen({ inbox }: Subtask): readonly SubtaskNote[] {
    return inbox.slice(this.#seen);
  }

  async unread(): Promise<ChatMessage[]> {
    const { id, inbox, stopRequestedAt, ...subtask } = await this.#look();
    if (hasEnded(subtask) || stopRequestedAt !== undefined) throw new SubtaskStopped(id);
    const fresh = inbox.slice(this.#seen);
    this.#seen = inbox.length;
    return fresh.map((note) => ({ role: "user", text: `${headingOf(note)}\n${note.content}` }));
  }

  async #look(): Promise<Subtask> {
    if (!this.#isFresh) {
      const stored = await subtasksRead.get(this.#parts.store, subtaskKey(this.#latest.value));
      if (stored === undefined) throw new SubtaskStopped(this.#latest.value.id);
      this.#latest = stored;
    }
    this.#isFresh = false;
    return this.#latest.value;
  }
}

const headingOf = ({ type, from, child }: SubtaskNote): string => {
  if (child !== undefined) return wordHeading(child);
  return from === undefined ? `[${type} from your owner]` : `[${type} from the agent "${from}"]`;
};

import type { PersistentValues } from "../persistent-values.ts";
import type { Entry } from "../transcript.ts";
import { isMessage } from "./shown-entries.ts";

/** The last read `seq` of a conversation, shared by all tabs. */
export class ReadMark {
  readonly #values: PersistentValues;
  #conversation = "";
  #seq = 0;

  constructor(values: PersistentValues) {
    this.#values = values;
  }

  /** In a conversation without a stored mark, all existing entries count as read. */
  enter(conversation: string, last: number): void {
    if (conversation === this.#conversation) return;
    const [stored, seq] = (this.#values.get("read") ?? "").split(" ");
    this.#conversation = conversation;
    this.#seq = stored === encodeURIComponent(conversation) ? Math.min(Number(seq) || 0, last) : last;
  }

  /** True if the mark has moved. */
  moveTo(seq: number): boolean {
    if (seq <= this.#seq) return false;
    this.#seq = seq;
    this.#values.set("read", `${encodeURIComponent(this.#conversation)} ${seq}`);
    return true;
  }

  unreadIn(entries: readonly Entry[]): number {
    let count = 0;
    for (let at = entries.length - 1; at >= 0; at--) {
      const entry = entries[at] as Entry;
      if (entry.seq <= this.#seq) break;
      if (isMessage(entry)) count++;
    }
    return count;
  }
}

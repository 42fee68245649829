import type { KeptValues } from "../../client/persistent-values.ts";
import type { Entry } from "../../client/transcript.ts";
import { isMessage } from "./shown-entries.ts";

/** How far a conversation has been read, in any tab. */
export class ReadMark {
  readonly #kept: KeptValues;
  #conversation = "";
  #seq = 0;

  constructor(kept: KeptValues) {
    this.#kept = kept;
  }

  /** In a conversation that was never read here, all that is there has been. */
  enter(conversation: string, last: number): void {
    if (conversation === this.#conversation) return;
    const [kept, seq] = (this.#kept.get("read") ?? "").split(" ");
    this.#conversation = conversation;
    this.#seq = kept === encodeURIComponent(conversation) ? Math.min(Number(seq) || 0, last) : last;
  }

  /** True if something was unread until now. */
  moveTo(seq: number): boolean {
    if (seq <= this.#seq) return false;
    this.#seq = seq;
    this.#kept.set("read", `${encodeURIComponent(this.#conversation)} ${seq}`);
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

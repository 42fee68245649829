import { LoggedFrame } from "../protocol.ts";
import type { ConversationLog } from "./conversation-log.ts";
import type { LogEntry } from "./log-entry.ts";

type Frame = LogEntry["frame"];

/**
 * Collects the items of a history frame from the newest to the oldest. An edited reply is one item with its latest
 * state, in the position of the reply, or of the edit if the reply is on an older page.
 */
class HistoryPage {
  readonly #items = new Map<number, string>();
  /** The latest state of each edited reply. */
  readonly #edited = new Map<string, { seq: number; frame: Frame; revision: number }>();
  #bytes = 0;

  get size(): number {
    return this.#items.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  addOlder(seq: number, frame: Frame): void {
    const known = LoggedFrame.safeParse(frame).data;
    if (known === undefined || known.type === "said") {
      this.#set(seq, frame);
      return;
    }
    const revision = known.activity?.revision ?? 0;
    const later = this.#edited.get(known.id);
    const isLatest = later === undefined || revision > later.revision;
    if (later !== undefined) this.#drop(later.seq);
    const latest = isLatest ? { seq, frame, revision } : later;
    if (known.type === "reply") {
      this.#set(seq, { ...latest.frame, type: "reply" });
      this.#edited.delete(known.id);
    } else {
      // An outdated edit does not replace the latest one.
      this.#set(latest.seq, latest.frame);
      this.#edited.set(known.id, latest);
    }
  }

  toFrame(before: number | null): Buffer {
    const oldestFirst = [...this.#items].sort(([a], [b]) => a - b).map(([, json]) => json);
    return Buffer.from(`{"type":"history","items":[${oldestFirst.join(",")}],"before":${before}}`);
  }

  #set(seq: number, frame: Frame): void {
    const json = JSON.stringify({ ...frame, seq });
    this.#items.set(seq, json);
    this.#bytes += json.length;
  }

  #drop(seq: number): void {
    this.#bytes -= this.#items.get(seq)?.length ?? 0;
    this.#items.delete(seq);
  }
}

/** Reads a page of older entries as an encoded history frame. The page ends early if it would become too large. */
export const readHistory = async (log: ConversationLog, before: number, limit: number): Promise<Buffer> => {
  const page = new HistoryPage();
  let next = before;
  const last = Math.max(1, before - MAX_ENTRIES_READ);
  while (page.size < limit && next > last && page.bytes < MAX_PAGE_BYTES) {
    const count = Math.min(READ_BATCH, limit - page.size, next - last);
    const entries = await Promise.all(Array.from({ length: count }, (_, index) => log.read(next - 1 - index)));
    for (const entry of entries) {
      // Entries expire in order, so older ones have expired too.
      if (entry === undefined) return page.toFrame(null);
      if (page.bytes >= MAX_PAGE_BYTES) break;
      next--;
      page.addOlder(next, entry.frame);
    }
  }
  return page.toFrame(next > 1 ? next : null);
};

const READ_BATCH = 20;
/** Edits of one reply merge into one item, so a page may need more reads than it has items. */
const MAX_ENTRIES_READ = 1_000;
const MAX_PAGE_BYTES = 256 * 1024;

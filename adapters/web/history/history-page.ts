import { LoggedFrame } from "../protocol.ts";
import type { ConversationLog } from "./conversation-log.ts";
import type { LogEntry } from "./log-entry.ts";

type Frame = LogEntry["frame"];

/**
 * Items of a history frame, collected from the newest to the oldest. What was edited is one item: its latest state, in
 * the place of the reply, or in its own if the reply is on an older page.
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
      // An edit that is out of date keeps the place of the latest.
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

/** A page of older entries, in order, as the text of a history frame. It ends early rather than grow too large. */
export const readHistory = async (log: ConversationLog, before: number, limit: number): Promise<Buffer> => {
  const page = new HistoryPage();
  let next = before;
  const last = Math.max(1, before - MOST_READ);
  while (page.size < limit && next > last && page.bytes < PAGE_BYTES) {
    const count = Math.min(READ_AT_ONCE, limit - page.size, next - last);
    const entries = await Promise.all(Array.from({ length: count }, (_, index) => log.read(next - 1 - index)));
    for (const entry of entries) {
      // Older ones have expired as well.
      if (entry === undefined) return page.toFrame(null);
      if (page.bytes >= PAGE_BYTES) break;
      next--;
      page.addOlder(next, entry.frame);
    }
  }
  return page.toFrame(next > 1 ? next : null);
};

const READ_AT_ONCE = 20;
/** Edits of one entry come to one item, so a page may take more reading than it has items. */
const MOST_READ = 1_000;
const PAGE_BYTES = 256 * 1024;

import type { ConversationLog } from "./conversation-log.ts";
import { HistoryPage } from "./history-page.ts";

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

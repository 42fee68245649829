import type { ConversationLog } from "./conversation-log.ts";

/** A page of older entries, in order, as the text of a history frame. It ends early rather than grow too large. */
export const readHistory = async (log: ConversationLog, before: number, limit: number): Promise<Buffer> => {
  const items: string[] = [];
  let bytes = 0;
  let next = before;
  while (items.length < limit && next > 1 && bytes < PAGE_BYTES) {
    const count = Math.min(READ_AT_ONCE, limit - items.length, next - 1);
    const entries = await Promise.all(Array.from({ length: count }, (_, index) => log.read(next - 1 - index)));
    for (const entry of entries) {
      // Older ones have expired as well.
      if (entry === undefined) return frameOf(items, null);
      if (bytes >= PAGE_BYTES) break;
      next--;
      const item = JSON.stringify({ ...entry.frame, seq: next });
      bytes += item.length;
      items.push(item);
    }
  }
  return frameOf(items, next > 1 ? next : null);
};

const frameOf = (newestFirst: string[], before: number | null): Buffer =>
  Buffer.from(`{"type":"history","items":[${newestFirst.reverse().join(",")}],"before":${before}}`);

const READ_AT_ONCE = 20;
const PAGE_BYTES = 256 * 1024;

import type { QuotedMessage } from "../../../core/contract/messages/user-message.ts";
import { LoggedFrame } from "../protocol.ts";
import type { ConversationLog } from "./conversation-log.ts";

const READ_BATCH = 16;
/** People answer recent messages; a frame must not cause more reads than this. */
const MAX_ENTRIES_READ = 256;
/** More than the model is shown. */
const MAX_QUOTE_CHARS = 4_000;

/**
 * The message of the visitor's own conversation that a message replies to (M1), in its latest state. Undefined if the
 * newest entries do not contain it. `head`: the end of the log.
 */
export const findQuoted = async (
  log: Pick<ConversationLog, "read">,
  head: number,
  id: string,
): Promise<QuotedMessage | undefined> => {
  const last = Math.max(0, head - MAX_ENTRIES_READ);
  for (let next = head; next > last; next -= READ_BATCH) {
    const count = Math.min(READ_BATCH, next - last);
    const entries = await Promise.all(Array.from({ length: count }, (_, index) => log.read(next - index)));
    for (const entry of entries) {
      // Entries expire in order, so older ones have expired too.
      if (entry === undefined) return undefined;
      const frame = LoggedFrame.safeParse(entry.frame).data;
      if (frame?.id === id) return quoteOf(frame);
    }
  }
  return undefined;
};

const quoteOf = (frame: LoggedFrame): QuotedMessage | undefined => {
  const isOwn = frame.type !== "said";
  const text = isOwn ? frame.markdown : frame.text;
  if (text.trim() === "") return undefined;
  return { text: text.slice(0, MAX_QUOTE_CHARS).toWellFormed(), at: frame.createdAt, ...(isOwn && { isOwn }) };
};

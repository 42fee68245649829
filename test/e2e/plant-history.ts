import { keyOf } from "../../adapters/web/client/transcript.ts";
import { entryKey, headHintKey } from "../../adapters/web/history/log-entry.ts";
import type { LoggedFrame } from "../../adapters/web/protocol.ts";
import { isoTime } from "../../core/contract/ports/clock.ts";
import type { Store } from "../../core/contract/ports/store.ts";

interface Planted {
  readonly channel: string;
  readonly visitor: string;
  readonly count: number;
}

const RETENTION_MS = 30 * 24 * 3_600_000;

/**
 * Writes a visitor's log with this many entries, alternating questions and answers, as a gateway would. Resolves to
 * the keys of its entries in the widget, the oldest first.
 */
export const plantHistory = async (store: Store, { channel, visitor, count }: Planted): Promise<string[]> => {
  const at = Date.now();
  const frames = Array.from({ length: count }, (_, index) => frameAt(index + 1, isoTime(at)));
  await store.put(headHintKey(channel, { visitor }), { seq: count, at, retentionMs: RETENTION_MS });
  await Promise.all(
    frames.map((frame, index) => {
      const entry = { once: `planted/${frame.id}`, at, frame };
      return store.put(entryKey(channel, { visitor }, index + 1), entry, { ifRevision: 0, ttlMs: RETENTION_MS });
    }),
  );
  return frames.map(keyOf);
};

const frameAt = (seq: number, createdAt: string): LoggedFrame =>
  seq % 2 === 1
    ? { type: "said", id: `m${seq}`, text: `Question ${seq}?`, createdAt }
    : {
        type: "reply",
        id: `r${seq}`,
        kind: "final",
        markdown: `Answer **${seq}**.`,
        correlationId: `m${seq - 1}`,
        createdAt,
      };

import type { ChatMessage } from "../model/index.ts";
import type { TurnEntry } from "./history-entry.ts";

/** Below the store's limit, with room for fields that a later version adds. */
const MAX_ENTRY_BYTES = 400_000;
const KEPT_OUTPUT_CHARS = 1_000;
const KEPT_TEXT_CHARS = 20_000;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The entry, with as little as possible left out so that the store takes it. The final text is never touched. */
export const fitEntry = (entry: TurnEntry): TurnEntry => {
  if (surelyFits(entry)) return entry;
  const shorten: readonly ((entry: TurnEntry) => TurnEntry)[] = [
    (whole) => whole,
    (long) => ({ ...long, messages: long.messages.map(withShortOutputs) }),
    (long) => ({ ...long, messages: [] }),
    (long) => ({ ...long, text: cut(long.text, KEPT_TEXT_CHARS) }),
  ];
  let fitted = entry;
  for (const step of shorten) {
    fitted = step(fitted);
    if (bytesOf(fitted) <= MAX_ENTRY_BYTES) break;
  }
  return fitted;
};

/** Without counting: JSON spells no UTF-16 unit with more than 6 bytes. */
const surelyFits = ({ text, finalText, messages }: TurnEntry): boolean =>
  messages.length === 0 && (text.length + finalText.length) * 6 < MAX_ENTRY_BYTES / 2;

const withShortOutputs = (message: ChatMessage): ChatMessage =>
  message.role === "tool"
    ? {
        ...message,
        results: message.results.map((result) => ({ ...result, output: cut(result.output, KEPT_OUTPUT_CHARS) })),
      }
    : message;

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max)}\n[${text.length - max} more characters were not remembered]`;

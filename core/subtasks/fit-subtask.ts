import { MAX_VALUE_BYTES } from "../contract/store.ts";
import type { Subtask } from "../contract/subtask.ts";
import { cutToBytes } from "../lib/index.ts";

/** With room for fields that a later version adds. */
const MOST_BYTES = MAX_VALUE_BYTES - 20_000;
const KEPT_NOTE_BYTES = 500;
const KEPT_ERROR_BYTES = 4_000;

/** A subtask that ends, with as little as possible left out so that the store takes it: no end is too large (S7). */
export const fitSubtask = (subtask: Subtask): Subtask => {
  if (surelyFits(subtask)) return subtask;
  let fitted = subtask;
  for (const step of shorten) {
    if (bytesOf(fitted) <= MOST_BYTES) break;
    fitted = step(fitted);
  }
  return fitted;
};

/** What it was told is of no use any more, but that it was told is. */
const withShortNotes = (subtask: Subtask): Subtask => ({
  ...subtask,
  inbox: subtask.inbox.map((note) => ({ ...note, content: cutToBytes(note.content, KEPT_NOTE_BYTES) })),
});

const withShortResult = (subtask: Subtask): Subtask => {
  const { result } = subtask;
  if (result === undefined) return subtask;
  const { metadata: _, error, output, ...rest } = result;
  const short = { ...rest, output: "", ...(error !== undefined && { error: cutToBytes(error, KEPT_ERROR_BYTES) }) };
  const left = MOST_BYTES - bytesOf({ ...subtask, result: short });
  return { ...subtask, result: { ...short, output: cutToBytes(output, Math.max(KEPT_NOTE_BYTES, left)) } };
};

const shorten = [withShortNotes, withShortResult];

/** Without counting: JSON spells no UTF-16 unit with more than 6 bytes. */
const surelyFits = ({ prompt, expectedOutput, inbox, result }: Subtask): boolean => {
  const { output = "", error = "", metadata } = result ?? {};
  const chars = prompt.length + expectedOutput.length + output.length + error.length;
  return metadata === undefined && inbox.length === 0 && chars * 6 < MOST_BYTES / 2;
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

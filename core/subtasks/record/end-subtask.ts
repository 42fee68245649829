import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import { hasEnded, type Subtask, type SubtaskResult } from "../../contract/messages/subtask.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { MAX_VALUE_BYTES, type Stored } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";
import { cutToBytes } from "../../lib/index.ts";
import type { CoreDeps } from "../../turns/index.ts";
import { begun, readStored, reportChange, signalChange } from "./change-subtask.ts";
import { subtaskKey, subtasksRead } from "./subtask-record.ts";

export interface Ending {
  readonly status: "completed" | "failed" | "cancelled";
  readonly result: SubtaskResult;
  /** Idempotency key of the call that ends it; a repeat of the call recognises its own end. */
  readonly endedBy?: string;
}

/** Ends a subtask. Resolves to the ended subtask, also if it had already ended in another way. */
export const endSubtask = async (
  deps: CoreDeps,
  address: SubtaskAddress,
  ending: Ending,
  { isBegun = false } = {},
): Promise<Subtask | undefined> => {
  const stored = await readStored(deps, address);
  if (stored?.value.status !== "pending") return stored && endKnown(deps, stored, ending, () => true);
  // A subtask that never ran still passes through "running", the only state that leads to an end.
  const value = begun(stored.value, isoTime(deps.clock.now()));
  if (!isBegun) reportChange(deps, stored.value, value);
  return endKnown(deps, { ...stored, value }, ending, () => true);
};

/** Ends a subtask that this process runs, if `mayEnd` allows it; otherwise resolves to the subtask unended. */
export const endKnown = async (
  deps: CoreDeps,
  known: Stored<Subtask>,
  { status, result, endedBy }: Ending,
  mayEnd: (subtask: Subtask) => boolean,
): Promise<Subtask | undefined> => {
  const { startedAt } = known.value;
  const completedAt = isoTime(deps.clock.now());
  const begunOf = (subtask: Subtask) => (subtask.status === "pending" ? begun(subtask, startedAt) : subtask);
  const end = (stored: Subtask | undefined): Subtask | undefined => {
    const running = stored && begunOf(stored);
    if (running === undefined || hasEnded(running) || !mayEnd(running)) return undefined;
    const ended = { ...running, status, result: withAllFiles(result, running), completedAt };
    return fitSubtask({ ...ended, ...(endedBy !== undefined && { endedBy }) });
  };
  const options = { known, cache: subtasksRead };
  const { outcome, before, after } = await update(deps.store, subtaskKey(known.value), end, options);
  if (before === undefined || after === undefined) return undefined;
  if (outcome === "unchanged") return begunOf(after);
  signalChange(deps, after);
  reportChange(deps, begunOf(before), after);
  return after;
};

/** More are not reported; an answer sends fewer anyway. */
const MAX_FILES = 50;

/** Adds the files that other agents sent to the subtask. */
const withAllFiles = (result: SubtaskResult, { inbox }: Subtask): SubtaskResult => {
  const received = inbox.flatMap(({ files = [] }) => files);
  const files = [...(result.files ?? []), ...received].slice(0, MAX_FILES);
  return files.length === 0 ? result : { ...result, files };
};

/** Leaves room for fields that a later version adds. */
const MAX_BYTES = MAX_VALUE_BYTES - 20_000;
const MIN_TEXT_BYTES = 500;
const MAX_ERROR_BYTES = 4_000;

/** Shortens an ended subtask only as far as the store's size limit requires, so that every end can be stored (S7). */
export const fitSubtask = (subtask: Subtask): Subtask => {
  if (surelyFits(subtask)) return subtask;
  let fitted = subtask;
  for (const step of shorten) {
    if (bytesOf(fitted) <= MAX_BYTES) break;
    fitted = step(fitted);
  }
  return fitted;
};

/** Notes are not read after the end, but their ids still detect duplicates. */
const withShortNotes = (subtask: Subtask): Subtask => ({
  ...subtask,
  inbox: subtask.inbox.map((note) => ({ ...note, content: cutToBytes(note.content, MIN_TEXT_BYTES) })),
});

const withShortResult = (subtask: Subtask): Subtask => {
  const { result } = subtask;
  if (result === undefined) return subtask;
  const { metadata: _, error, output, ...rest } = result;
  const short = { ...rest, output: "", ...(error !== undefined && { error: cutToBytes(error, MAX_ERROR_BYTES) }) };
  const left = MAX_BYTES - bytesOf({ ...subtask, result: short });
  return { ...subtask, result: { ...short, output: cutToBytes(output, Math.max(MIN_TEXT_BYTES, left)) } };
};

const shorten = [withShortNotes, withShortResult];

/** Avoids serialising: JSON needs at most 6 bytes for a UTF-16 unit. */
const surelyFits = ({ prompt, expectedOutput, inbox, result }: Subtask): boolean => {
  const { output = "", error = "", metadata } = result ?? {};
  const chars = prompt.length + expectedOutput.length + output.length + error.length;
  return metadata === undefined && inbox.length === 0 && chars * 6 < MAX_BYTES / 2;
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

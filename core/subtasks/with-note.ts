import type { Subtask, SubtaskNote } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import { cutToBytes } from "../lib/index.ts";

/** All that a subtask is told, together: beside it its record holds its task and its result. */
const MOST_BYTES = 200_000;
/** What even the last one may take. */
const LEAST_BYTES = 500;

/** The subtask, told something. One that has ended, or knows it already, comes back itself; what has no room is cut. */
export const withNote = (subtask: Subtask, note: SubtaskNote): Subtask => {
  if (hasEnded(subtask) || subtask.inbox.some(({ id }) => id === note.id)) return subtask;
  const taken = subtask.inbox.reduce((sum, { content }) => sum + Buffer.byteLength(JSON.stringify(content)), 0);
  const content = cutToBytes(note.content, Math.max(LEAST_BYTES, MOST_BYTES - taken));
  return { ...subtask, inbox: [...subtask.inbox, { ...note, content }] };
};

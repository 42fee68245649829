import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import type { Subtask, SubtaskNote } from "../../contract/messages/subtask.ts";
import { hasEnded } from "../../contract/messages/subtask.ts";
import { cutToBytes } from "../../lib/index.ts";
import type { CoreDeps } from "../../turns/index.ts";
import { changeSubtask } from "./change-subtask.ts";

/** Limit for all notes of a subtask together; its record also holds task and result. */
const MAX_BYTES = 200_000;
/** Minimum for a note when the limit is reached. */
const MIN_BYTES = 500;

/** Adds a note to the inbox, cut to the room left. Returns an ended subtask, or one that has the note, unchanged. */
export const withNote = (subtask: Subtask, note: SubtaskNote): Subtask => {
  if (hasEnded(subtask) || subtask.inbox.some(({ id }) => id === note.id)) return subtask;
  const taken = subtask.inbox.reduce((sum, { content }) => sum + Buffer.byteLength(JSON.stringify(content)), 0);
  const content = cutToBytes(note.content, Math.max(MIN_BYTES, MAX_BYTES - taken));
  return { ...subtask, inbox: [...subtask.inbox, { ...note, content }] };
};

/** A note for the subagent's next step, or a status line for the activity entry. */
type SubtaskUpdate = { readonly note: SubtaskNote } | { readonly status: string };

/** Resolves to the subtask; one that had ended comes back without the update. Undefined: it does not exist any more. */
export const deliverToSubtask = (
  deps: CoreDeps,
  address: SubtaskAddress,
  update: SubtaskUpdate,
): Promise<Subtask | undefined> =>
  changeSubtask(deps, address, (subtask) =>
    "status" in update ? withStatus(subtask, update.status) : withNote(subtask, update.note),
  );

const withStatus = (subtask: Subtask, note: string): Subtask =>
  hasEnded(subtask) || subtask.note === note ? subtask : { ...subtask, note, notes: subtask.notes + 1 };

import { AppError } from "../contract/app-error.ts";
import type { Asker } from "../contract/owner-context.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { cancelSubtask, ownSubtask } from "../subtasks/cancel-subtask.ts";
import type { IntakeParts } from "./intake-parts.ts";

const USAGE = "Say which work to cancel by its id, e.g. `cancel subtask-1a2b3c4d`. Its entry shows the id.";
const ID = /^subtask-[0-9a-f]{8}$/;

/** What became of it, in words for the person. Only who asked for the work may end it (I3). */
export const cancelByCommand = async (
  parts: IntakeParts,
  { tenant, agent }: UserMessage,
  args: string,
  { personId }: Asker,
): Promise<string> => {
  const id = args.trim();
  if (!ID.test(id)) return USAGE;
  try {
    const subtask = await ownSubtask(parts, { tenant, agent, id }, { personId });
    if (hasEnded(subtask)) return `"${subtask.name}" has ended already: ${subtask.status}.`;
    const ended = await cancelSubtask(parts, subtask, "the person who asked for it no longer wants it");
    return ended?.status === "cancelled" ? `"${subtask.name}" is cancelled.` : `"${subtask.name}" ended just before.`;
  } catch (error) {
    if (error instanceof AppError && (error.code === "not-found" || error.code === "forbidden")) return error.message;
    throw error;
  }
};

import type { Store } from "../contract/store.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { type ContinuedWork, readShown, type ShownRecord } from "../origin/index.ts";
import { mayContinue } from "./may-continue.ts";

/** What the message shows that this one points at: by answering it, or from a thread that hangs on it. */
export const pointedAt = async (
  store: Store,
  { tenant, agent, conversation, replyTo }: UserMessage,
): Promise<readonly ShownRecord[]> => {
  const { thread, ...room } = conversation;
  const answered = replyTo === undefined ? [] : await readShown(store, { tenant, agent, conversation }, replyTo);
  if (answered.length > 0 || thread === undefined) return answered;
  // On a platform where threads have no messages of their own to answer, an answer in one may name its root.
  const inRoom = { tenant, agent, conversation: room };
  const root = replyTo === undefined || replyTo === thread ? [] : await readShown(store, inRoom, replyTo);
  return root.length > 0 ? root : readShown(store, inRoom, thread);
};

/**
 * The work that a message goes on with, if its writer may (O14). To anybody else it is a message like any other. Who
 * answers a digest may mean any of its items, and only their words can tell which: it is all of them that they may.
 */
export const resolveRepliedTo = async (store: Store, message: UserMessage): Promise<readonly ContinuedWork[]> => {
  const shown = await pointedAt(store, message);
  const isFree = await Promise.all(shown.map((one) => mayContinue(store, one, message)));
  return shown.filter((_, index) => isFree[index]).map((one) => continued(one, message));
};

const continued = (shown: ShownRecord, message: UserMessage): ContinuedWork => {
  const { replyId, origin, number, sessionId, rootTurnId, turnId } = shown;
  const own = [rootTurnId, turnId].filter((id) => id !== undefined);
  const turns = knewItAll(shown, message) ? "all" : own;
  return { replyId, origin, ...(number !== undefined && { number }), sessionId, turns };
};

/**
 * Who answers in the room where it began reads along there anyway. In private it is the account that asked in private
 * for all of it: others may have been linked after the rest began, and what else is said in a room may be nobody's
 * business who is no longer in it (D3).
 */
const knewItAll = ({ audience }: ShownRecord, { conversation, account }: UserMessage): boolean =>
  conversation.kind === "shared" ||
  (audience.conversation.kind === "private" &&
    conversation.channel === audience.conversation.channel &&
    account.id === audience.accountId);

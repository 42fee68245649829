import type { FromPerson } from "../contract/messages/user-message.ts";
import type { Store } from "../contract/ports/store.ts";
import { type ContinuedWork, type PostedReply, readPosted } from "../origin/index.ts";
import { mayContinue } from "./visibility.ts";

/** The replies shown by the message that this one replies to, or by the root of its thread. */
export const readRepliedTo = async (
  store: Store,
  { tenant, agent, conversation, replyTo }: FromPerson,
): Promise<readonly PostedReply[]> => {
  const { thread, ...room } = conversation;
  const answered = replyTo === undefined ? [] : await readPosted(store, { tenant, agent, conversation }, replyTo);
  if (answered.length > 0 || thread === undefined) return answered;
  // On some platforms a reply inside a thread names a message of the room, such as the root of the thread.
  const inRoom = { tenant, agent, conversation: room };
  const root = replyTo === undefined || replyTo === thread ? [] : await readPosted(store, inRoom, replyTo);
  return root.length > 0 ? root : readPosted(store, inRoom, thread);
};

/**
 * The work that a message continues, as far as its writer may see it (O14). A reply to a digest continues all permitted
 * items, because only its text says which of them it means.
 */
export const resolveRepliedTo = async (store: Store, message: FromPerson): Promise<readonly ContinuedWork[]> => {
  const shown = await readRepliedTo(store, message);
  const isVisible = await Promise.all(shown.map((one) => mayContinue(store, one, message)));
  return shown.filter((_, index) => isVisible[index]).map((one) => continued(one, message));
};

const continued = (shown: PostedReply, message: FromPerson): ContinuedWork => {
  const { replyId, origin, number, sessionId, rootTurnId, turnId } = shown;
  const own = [rootTurnId, turnId].filter((id) => id !== undefined);
  const turns = mayReadSession(shown, message) ? "all" : own;
  return { replyId, origin, ...(number !== undefined && { number }), sessionId, turns };
};

/**
 * Whether the writer may read the whole origin session instead of the replied-to turns only (D3). In a shared
 * conversation the writer could read it anyway. In private only the account that asked in private qualifies: other
 * accounts may have been linked later, and a person may have left the room since.
 */
const mayReadSession = ({ audience }: PostedReply, { conversation, account }: FromPerson): boolean =>
  conversation.kind === "shared" ||
  (audience.conversation.kind === "private" &&
    conversation.channel === audience.conversation.channel &&
    account.id === audience.accountId);

import type { Store } from "../contract/store.ts";
import type { UserMessage } from "../contract/user-message.ts";
import type { ContinuedWork } from "./continued-work.ts";
import { mayContinue } from "./may-continue.ts";
import type { ShownRecord } from "./shown-record.ts";
import { readShown } from "./shown-record.ts";

/** The unsolicited message that this one points at: by answering it, or from a thread that hangs on it. */
export const pointedAt = async (
  store: Store,
  { tenant, agent, conversation, replyTo }: UserMessage,
): Promise<ShownRecord | undefined> => {
  const { thread, ...room } = conversation;
  const answered = replyTo === undefined ? undefined : await readShown(store, { tenant, agent, conversation }, replyTo);
  if (answered !== undefined || thread === undefined) return answered;
  // On a platform where threads have no messages of their own to answer, an answer in one may name its root.
  const inRoom = { tenant, agent, conversation: room };
  const root = replyTo === undefined || replyTo === thread ? undefined : await readShown(store, inRoom, replyTo);
  return root ?? readShown(store, inRoom, thread);
};

/** The work that a message goes on with, if its writer may (O14). To anybody else it is a message like any other. */
export const answeredWork = async (store: Store, message: UserMessage): Promise<ContinuedWork | undefined> => {
  const shown = await pointedAt(store, message);
  if (shown === undefined || !(await mayContinue(store, shown, message))) return undefined;
  const { replyId, origin, sessionId, rootTurnId, turnId } = shown;
  const own = [rootTurnId, turnId].filter((id) => id !== undefined);
  return { replyId, origin, sessionId, turns: knewItAll(shown, message) ? "all" : own };
};

/** An account may have been linked after other work there began, and before this: then only this is its business (D3). */
const knewItAll = ({ audience }: ShownRecord, { conversation, account }: UserMessage): boolean =>
  conversation.kind === "shared" ||
  (conversation.channel === audience.conversation.channel && account.id === audience.accountId);

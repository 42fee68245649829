import type { Conversation } from "../../../core/contract/conversation.ts";
import { noteShownTogether } from "../note-shown.ts";
import type { RelayContext } from "../relay-context.ts";
import type { Begun } from "./begun-digest.ts";

/** Each message of a digest that is shown can be answered, whether or not the rest gets through (O14). */
export const noteMessages = async (
  context: RelayContext,
  target: Conversation,
  { digest, requests }: Begun,
  /** By part; undefined: it is not shown, as far as is known. */
  messageIds: readonly (string | undefined)[],
): Promise<void> => {
  const { parts, itemIds } = digest;
  // One that is alone came as itself, and has no number.
  const numberOf = (id: string) => (parts.length === 0 ? {} : { number: itemIds.indexOf(id) + 1 });
  for (const [index, messageId] of messageIds.entries()) {
    const shownIds = parts[index]?.itemIds ?? itemIds;
    const shown = requests.filter(({ id }) => shownIds.includes(id));
    const replies = shown.map(({ id, reply }) => ({ reply, ...numberOf(id) }));
    if (messageId !== undefined) await noteShownTogether(context, target, messageId, replies);
  }
};

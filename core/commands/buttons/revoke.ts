import type { AgentReply } from "../../contract/messages/agent-reply.ts";
import type { CommandMessage } from "../../contract/messages/user-message.ts";
import { mayContinue } from "../../delivery/index.ts";
import { linkedReply, revokeLinks } from "../../files/index.ts";
import type { Command } from "../command.ts";

/** Revokes the links to the files of an answer (M3). Reached by the button below the links. */
export const revoke: Command = {
  name: "revoke",
  needs: "talk",
  privately: true,
  async run({ deps, message, args: replyId, texts }) {
    const { conversation } = message;
    const reply = await linkedReply(deps.store, replyId, conversation);
    // A caller outside the audience gets the same answer as for unknown links.
    const isAllowed = reply !== undefined && isAsker(reply, message) && (await mayContinue(deps.store, reply, message));
    if (!isAllowed) return { markdown: texts.links.none };
    await revokeLinks(deps.store, replyId, conversation);
    return { markdown: texts.links.revoked };
  },
};

/** In a shared room only the person who asked may end the links of all readers. */
const isAsker = ({ audience }: AgentReply, { conversation, account }: CommandMessage): boolean =>
  conversation.kind === "private" ||
  (audience.conversation.channel === conversation.channel && audience.accountId === account.id);

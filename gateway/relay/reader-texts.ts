import type { AgentReply } from "../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import { type Texts, textsFor } from "../../core/contract/texts/texts.ts";
import { viewerTimeIn } from "../../core/delivery/index.ts";
import { findPerson, resolvedAsker } from "../../core/people/index.ts";
import type { RelayContext } from "./context.ts";

type Deps = Pick<RelayContext, "store" | "localeOn">;

/** The texts for the readers of a reply in one conversation; in a shared one, those of the account it is only for. */
export const readerTexts = async (
  { store, localeOn }: Deps,
  reply: Pick<AgentReply, "tenant" | "audience" | "onlyFor" | "cause">,
  target: Conversation,
): Promise<Texts> => {
  const own =
    target.kind === "shared" && reply.onlyFor !== undefined
      ? await localeOfAccount(store, reply.tenant, target, reply.onlyFor)
      : (await viewerTimeIn(store, reply, target)).locale;
  return textsFor(own ?? reply.cause?.asker.locale ?? localeOn?.(target.channel));
};

const localeOfAccount = async (
  store: Deps["store"],
  tenant: string,
  conversation: Conversation,
  accountId: string,
): Promise<string | undefined> => {
  const { person } = await findPerson(store, { tenant, channel: conversation.channel, accountId });
  return resolvedAsker(person, { tenant, conversation, account: { id: accountId, name: "" } }).locale;
};

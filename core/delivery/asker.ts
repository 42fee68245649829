import type { AgentReply } from "../contract/messages/agent-reply.ts";
import type { Asker, Audience } from "../contract/messages/work-context.ts";
import type { Store } from "../contract/ports/store.ts";
import {
  askingAccount,
  findPerson,
  type OwnAccount,
  type PersonRecord,
  readPerson,
  sameAccount,
} from "../people/index.ts";

/**
 * The account that receives the work. A result that goes to another channel than the request came from belongs to the
 * person's account there, because the asker's own id is valid on its own channel only.
 */
export const accountServed = ({ audience, asker }: { audience: Audience; asker: Asker }): OwnAccount => ({
  channel: audience.conversation.channel,
  accountId: audience.accountId ?? asker.accountId,
});

/** The person that the asking account belongs to today. */
export const askerOf = async (
  store: Store,
  { tenant, audience }: Pick<AgentReply, "tenant" | "audience">,
): Promise<PersonRecord | undefined> => {
  const { personId } = audience;
  const asker = askingAccount(audience);
  if (asker !== undefined) return (await findPerson(store, { tenant, ...asker })).person;
  return personId === null ? undefined : (await readPerson(store, tenant, personId))?.person;
};

/** Adds the asking account to a private audience if the receiving account is a different one of the same person. */
export const withRequester = (audience: Audience, asker: OwnAccount | undefined): Audience => {
  const { conversation, accountId } = audience;
  if (asker === undefined || accountId === undefined || conversation.kind === "shared") return audience;
  const isSameAccount = sameAccount(asker, { channel: conversation.channel, accountId });
  return isSameAccount ? audience : { ...audience, askedBy: { ...asker } };
};

import type { AgentReply } from "../contract/agent-reply.ts";
import type { Store } from "../contract/store.ts";
import { findPerson, type PersonRecord, readPerson } from "../people/index.ts";
import { askingAccount } from "./asking-account.ts";

/** Who stands behind a piece of work today: whoever has the account that asked for it. */
export const askerOf = async (
  store: Store,
  { tenant, audience }: Pick<AgentReply, "tenant" | "audience">,
): Promise<PersonRecord | undefined> => {
  const { personId } = audience;
  const asker = askingAccount(audience);
  if (asker !== undefined) return (await findPerson(store, { tenant, ...asker })).person;
  return personId === null ? undefined : (await readPerson(store, tenant, personId))?.person;
};

import { stableId } from "../lib/index.ts";

/** The person that an account is by itself, until it is linked to others. */
export const personOf = (tenant: string, channel: string, accountId: string): string => {
  const account = JSON.stringify([tenant, channel, accountId]);
  const known = ids.get(account);
  if (known !== undefined) return known;
  const id = stableId("p", tenant, channel, accountId);
  if (ids.size >= MOST_REMEMBERED) ids.clear();
  ids.set(account, id);
  return id;
};

/** A message asks for the same one several times. */
const ids = new Map<string, string>();
const MOST_REMEMBERED = 10_000;

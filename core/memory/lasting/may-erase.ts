import type { Audience } from "../../contract/messages/work-context.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { Permit } from "../../contract/rights.ts";
import { askingAccount, belongsTo, findPerson } from "../../people/index.ts";
import type { MemoryEntry } from "./memory-record.ts";
import type { MemoryScope } from "./memory-scope.ts";

interface Erasing {
  readonly audience: Audience;
  readonly permit: Pick<Permit, "allows">;
}

/** A person erases any entry that they may see. In a room that is the author of an entry, or who approves calls there. */
export const mayErase = async (
  store: Store,
  scope: MemoryScope,
  { audience, permit }: Erasing,
  entry: MemoryEntry,
): Promise<boolean> => {
  if (scope.kind === "person" || permit.allows("approve")) return true;
  const account = askingAccount(audience);
  if (account === undefined) return false;
  const { person } = await findPerson(store, { tenant: scope.ref.tenant, ...account });
  return belongsTo(person, entry, account);
};

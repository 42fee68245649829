import { type AgentRef, INBOUND_CHANNEL } from "../../contract/messages/addresses.ts";
import type { Conversation } from "../../contract/messages/conversation.ts";
import type { Audience } from "../../contract/messages/work-context.ts";
import type { Store } from "../../contract/ports/store.ts";
import {
  askingAccount,
  belongsTo,
  findPerson,
  type OwnAccount,
  type PersonRecord,
  sameAccount,
  unlinkedPersonId,
} from "../../people/index.ts";
import { accountMemoryKey, type MemoryEntry, readMemory, roomMemoryKey } from "./memory-record.ts";

/** The memory of a piece of work: that of the room which sees the answer, else that of the person (M4). */
export type MemoryScope =
  | { readonly kind: "room"; readonly ref: AgentRef; readonly conversation: Conversation }
  | {
      readonly kind: "person";
      readonly ref: AgentRef;
      /** The account that asks; new entries are stored with it. */
      readonly account: OwnAccount;
      /** The accounts that see the answer: each must have a share in an entry. */
      readonly viewers: readonly OwnAccount[];
      readonly personId: string | null;
      readonly membership: number | undefined;
    };

/**
 * The audience decides, not the place where the work began: what a schedule, subtask or late answer publishes in a shared
 * room never uses a person's memory. Undefined: the work is for no person, so it has no memory.
 */
export const memoryScope = (
  { tenant, agent }: AgentRef,
  { audience }: { readonly audience: Audience },
): MemoryScope | undefined => {
  const ref = { tenant, agent };
  const { conversation, accountId, personId, membership } = audience;
  if (conversation.channel === INBOUND_CHANNEL) return undefined;
  if (conversation.kind === "shared") return { kind: "room", ref, conversation };
  const account = askingAccount(audience);
  if (account === undefined) return undefined;
  const reader = { channel: conversation.channel, accountId: accountId ?? account.accountId };
  const viewers = sameAccount(account, reader) ? [account] : [account, reader];
  return { kind: "person", ref, account, viewers, personId, membership };
};

/** The entries of a memory, oldest first, and the highest number that was ever given. */
export interface FoundMemory {
  readonly entries: readonly MemoryEntry[];
  readonly lastNumber: number;
}

/** The entries that a scope may use now (D3). */
export const readScope = async (store: Store, scope: MemoryScope): Promise<FoundMemory> => {
  if (scope.kind === "room") return readMemory(store, roomMemoryKey(scope.ref, scope.conversation));
  const { ref, account, viewers, personId } = scope;
  const address = { tenant: ref.tenant, ...account };
  // An account that was not linked when the work began has its own entries only, also if it has been linked since.
  if (viewers.length === 1 && personId === unlinkedPersonId(ref.tenant, account.channel, account.accountId)) {
    return readMemory(store, accountMemoryKey(ref, account));
  }
  const { person } = await findPerson(store, address);
  const accounts = [account, ...person.accounts.filter((other) => !sameAccount(other, account))];
  const records = await Promise.all(accounts.map((one) => readMemory(store, accountMemoryKey(ref, one))));
  const entries = records.flatMap((record) => record.entries).filter((entry) => mayUse(person, entry, viewers));
  return {
    entries: entries.sort(byAge),
    lastNumber: Math.max(...records.map(({ lastNumber }) => lastNumber)),
  };
};

/** An account that has left the person since the work began sees its own entries only. */
const mayUse = (person: PersonRecord, entry: MemoryEntry, viewers: readonly OwnAccount[]): boolean =>
  viewers.every((viewer) => belongsTo(person, entry, viewer));

const byAge = (a: MemoryEntry, b: MemoryEntry): number => (a.at === b.at ? a.number - b.number : a.at < b.at ? -1 : 1);

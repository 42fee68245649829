import { type Key, keyParts, type Listed, type Store } from "../../contract/ports/store.ts";
import { DELETE, update } from "../../contract/ports/update.ts";
import { type OwnAccount, sameAccount } from "../../people/index.ts";
import {
  type MemoryEntry,
  type MemoryRecord,
  memoriesOfAccount,
  memoriesOfRooms,
  memoryCache,
} from "./memory-record.ts";

/** An entry that an account made, with the agent that keeps it. */
export interface ExportedMemory extends MemoryEntry {
  readonly agent: string;
  readonly keptFor: "person" | "room";
}

/**
 * All entries that these accounts made, of all agents of the tenant, also in shared rooms (R5). It scans the rooms: for
 * exports and erasures, never per message.
 */
export const exportMemory = async (
  store: Store,
  tenant: string,
  accounts: readonly OwnAccount[],
): Promise<ExportedMemory[]> => {
  const found: ExportedMemory[] = [];
  for await (const { listed, keptFor } of recordsWith(store, tenant, accounts)) {
    const agent = keyParts(listed.key).at(-1) ?? "";
    const own = listed.value.entries.filter(({ by }) => isOneOf(accounts, by));
    found.push(...own.map((entry) => ({ ...entry, agent, keptFor })));
  }
  return found;
};

/** Erases all of them, and resolves to their number. Idempotent; entries that are stored meanwhile may stay. */
export const eraseMemory = async (store: Store, tenant: string, accounts: readonly OwnAccount[]): Promise<number> => {
  let count = 0;
  for await (const { listed, collection } of recordsWith(store, tenant, accounts)) {
    const key = { collection, encoded: listed.key };
    const { before, outcome } = await update(
      store,
      key,
      (record) => {
        if (record === undefined) return undefined;
        const entries = record.entries.filter(({ by }) => !isOneOf(accounts, by));
        if (entries.length === 0) return DELETE;
        return entries.length === record.entries.length ? record : { ...record, entries };
      },
      { cache: memoryCache },
    );
    if (outcome !== "unchanged") count += before?.entries.filter(({ by }) => isOneOf(accounts, by)).length ?? 0;
  }
  return count;
};

const isOneOf = (accounts: readonly OwnAccount[], by: OwnAccount): boolean =>
  accounts.some((account) => sameAccount(account, by));

interface FoundRecord {
  readonly listed: Listed<MemoryRecord>;
  readonly collection: Key<MemoryRecord>["collection"];
  readonly keptFor: ExportedMemory["keptFor"];
}

async function* recordsWith(
  store: Store,
  tenant: string,
  accounts: readonly OwnAccount[],
): AsyncGenerator<FoundRecord> {
  const prefixes = [
    ...accounts.map((account) => ({ prefix: memoriesOfAccount(tenant, account), keptFor: "person" as const })),
    { prefix: memoriesOfRooms(tenant), keptFor: "room" as const },
  ];
  for (const { prefix, keptFor } of prefixes) {
    const { collection } = prefix;
    for await (const listed of store.list(prefix)) {
      if (keptFor === "person" || listed.value.entries.some(({ by }) => isOneOf(accounts, by))) {
        yield { listed, collection, keptFor };
      }
    }
  }
}

/** The size of what all agents remember of a person, for operators: numbers, no words (R4). */
export interface MemorySize {
  readonly entries: number;
  readonly bytes: number;
}

export const memorySize = async (
  store: Store,
  tenant: string,
  accounts: readonly OwnAccount[],
): Promise<MemorySize> => {
  const size = { entries: 0, bytes: 0 };
  for (const account of accounts) {
    for await (const { value } of store.list(memoriesOfAccount(tenant, account))) {
      size.entries += value.entries.length;
      size.bytes += value.entries.reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0);
    }
  }
  return size;
};

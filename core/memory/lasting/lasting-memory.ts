import { AppError } from "../../contract/app-error.ts";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import type { Asker, Audience } from "../../contract/messages/work-context.ts";
import { type Clock, isoTime } from "../../contract/ports/clock.ts";
import type { Key, Store } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";
import { cutAtGraphemes, dropInvisible, maskSecrets, stableId } from "../../lib/index.ts";
import { askingAccount } from "../../people/index.ts";
import type { MemoryConfig } from "./config.ts";
import {
  accountMemoryKey,
  type MemoryEntry,
  type MemoryRecord,
  memoryCache,
  NO_MEMORY,
  roomMemoryKey,
} from "./memory-record.ts";
import { type FoundMemory, type MemoryScope, readScope } from "./memory-scope.ts";

export const MAX_ENTRY_CHARS = 1_000;
const MAX_NAME_GRAPHEMES = 60;
/** More calls than can wait for a repeat. */
const MAX_ERASED = 200;

/** The work that asks for an entry. */
export interface RememberingWork extends AgentRef {
  readonly audience: Audience;
  readonly asker: Pick<Asker, "name">;
  readonly idempotencyKey: string;
}

export interface MemoryDeps {
  readonly store: Store;
  readonly clock: Clock;
}

/** The text of an entry: one line without secrets, control characters and invisible ones. */
export const entryText = (text: string): string =>
  dropInvisible(maskSecrets(text))
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();

const bytesOf = (entries: readonly MemoryEntry[]): number =>
  entries.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

/**
 * Stores an entry by compare-and-set; it is stored when this resolves. Idempotent: the same call, or the same text, is
 * stored once. A full memory refuses the entry, because erasing an older one would lose what a person asked to keep.
 * `take` counts the bytes in the budgets, for a new entry only.
 */
export const remember = async (
  { store, clock }: MemoryDeps,
  scope: MemoryScope,
  work: RememberingWork,
  text: string,
  limits: MemoryConfig,
  take: (bytes: number) => Promise<void> = async () => undefined,
): Promise<{ readonly entry: MemoryEntry; readonly isNew: boolean }> => {
  const made = madeBy(work);
  if (made === undefined) throw new AppError("forbidden", "No person asked for this work, so it cannot be remembered.");
  const id = stableId("m", work.tenant, work.agent, work.idempotencyKey);
  const key = keyOfScope(scope);
  const fields = { id, text, at: isoTime(clock.now()), conversation: work.audience.conversation, ...made };
  let known: MemoryEntry | undefined;
  let isTaken = false;
  const { after } = await update(
    store,
    key,
    async (record): Promise<MemoryRecord> => {
      const found = await withOthers(store, scope, record);
      known = found.entries.find((entry) => entry.id === id || isSameText(entry, text));
      if (known !== undefined) return record;
      if (record.erased.includes(id)) throw new AppError("conflict", "This entry was erased just now.");
      ensureRoom(found.entries, text, limits);
      if (!isTaken) await take(Buffer.byteLength(text));
      isTaken = true;
      const number = Math.max(record.lastNumber, found.lastNumber) + 1;
      return { ...record, entries: [...record.entries, { ...fields, number }], lastNumber: number };
    },
    { initial: NO_MEMORY, cache: memoryCache },
  );
  const entry = known ?? after.entries.find((one) => one.id === id);
  if (entry === undefined) throw new AppError("conflict", "The entry was erased at the same moment.");
  return { entry, isNew: entry.id === id };
};

const isSameText = (entry: MemoryEntry, text: string): boolean => entry.text.toLowerCase() === text.toLowerCase();

const madeBy = ({
  audience,
  asker,
}: RememberingWork): Pick<MemoryEntry, "by" | "personId" | "membership"> | undefined => {
  const account = askingAccount(audience);
  if (account === undefined) return undefined;
  const { channel, accountId } = account;
  const { personId, membership } = audience;
  const name = cutAtGraphemes(dropInvisible(asker.name).trim(), MAX_NAME_GRAPHEMES);
  return { by: { channel, accountId, name }, personId, ...(membership !== undefined && { membership }) };
};

/** The record's own entries as this attempt read them, with those of the person's other accounts. */
const withOthers = async (store: Store, scope: MemoryScope, record: MemoryRecord): Promise<FoundMemory> => {
  if (scope.kind === "room") return record;
  const { entries, lastNumber } = await readScope(store, scope);
  const own = new Set(record.entries.map(({ id }) => id));
  const { channel, accountId } = scope.account;
  const others = entries.filter(
    ({ id, by }) => !own.has(id) && !(by.channel === channel && by.accountId === accountId),
  );
  return { entries: [...others, ...record.entries], lastNumber };
};

const ensureRoom = (entries: readonly MemoryEntry[], text: string, { maxEntries, maxBytes }: MemoryConfig): void => {
  const advice = "Ask the person which entries to forget; `/memory` shows them all.";
  if (entries.length >= maxEntries) {
    throw new AppError("too-large", `Not stored: the memory is full (${maxEntries} entries). ${advice}`);
  }
  if (bytesOf(entries) + Buffer.byteLength(text) > maxBytes) {
    throw new AppError("too-large", `Not stored: the memory is full (${maxBytes} bytes). ${advice}`);
  }
};

export const keyOfScope = (scope: MemoryScope): Key<MemoryRecord> =>
  scope.kind === "room" ? roomMemoryKey(scope.ref, scope.conversation) : accountMemoryKey(scope.ref, scope.account);

/** Erases entries of a scope. The caller has checked that they belong to it. Idempotent. */
export const forget = async (
  { store }: Pick<MemoryDeps, "store">,
  scope: MemoryScope,
  entries: readonly MemoryEntry[],
): Promise<void> => {
  const ids = new Set(entries.map(({ id }) => id));
  const keys = scope.kind === "room" ? [keyOfScope(scope)] : entries.map(({ by }) => accountMemoryKey(scope.ref, by));
  const distinct = new Map(keys.map((key) => [key.encoded, key]));
  for (const key of distinct.values()) {
    await update(
      store,
      key,
      (record) => {
        const gone = record?.entries.filter(({ id }) => ids.has(id)) ?? [];
        if (record === undefined || gone.length === 0) return record;
        const erased = [...record.erased, ...gone.map(({ id }) => id)].slice(-MAX_ERASED);
        return { ...record, entries: record.entries.filter(({ id }) => !ids.has(id)), erased };
      },
      { cache: memoryCache },
    );
  }
};

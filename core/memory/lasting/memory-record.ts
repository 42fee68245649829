import { z } from "zod";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import { Conversation } from "../../contract/messages/conversation.ts";
import { collection, keyOf, prefixOf, type Store } from "../../contract/ports/store.ts";
import { LastRead } from "../../contract/ports/update.ts";
import type { OwnAccount } from "../../people/index.ts";

/** One thing that a person asked the agent to remember. */
export const MemoryEntry = z.looseObject({
  /** Deterministic: a repeated call stores nothing. */
  id: z.string(),
  /** People and the model name the entry by this number. It is never used again. */
  number: z.int().positive(),
  text: z.string(),
  at: z.iso.datetime(),
  /** The account that asked for it, and its name then. */
  by: z.looseObject({ channel: z.string(), accountId: z.string(), name: z.string() }),
  /** The conversation in which it was said. */
  conversation: Conversation,
  /** The person of the account then, and their membership counter (D3). */
  personId: z.string().nullable(),
  membership: z.int().nonnegative().optional(),
});
export type MemoryEntry = z.infer<typeof MemoryEntry>;

/** All that an agent remembers of one account, or of one shared room. Written by compare-and-set only. */
export const MemoryRecord = z.looseObject({
  entries: z.array(MemoryEntry),
  lastNumber: z.int().nonnegative(),
  /** Ids of the entries that were erased last: a repeated call must not store them again. */
  erased: z.array(z.string()),
});
export type MemoryRecord = z.infer<typeof MemoryRecord>;

export const NO_MEMORY: MemoryRecord = { entries: [], lastNumber: 0, erased: [] };

const memories = collection("memories", MemoryRecord);

/** Memory is stored with the account that made it, so a link or an unlink moves nothing. */
export const accountMemoryKey = ({ tenant, agent }: AgentRef, { channel, accountId }: OwnAccount) =>
  keyOf(memories, tenant, "account", channel, accountId, agent);
export const roomMemoryKey = ({ tenant, agent }: AgentRef, { channel, workspace, room }: Conversation) =>
  keyOf(memories, tenant, "room", channel, workspace === undefined ? "-" : `+${workspace}`, room, agent);

/** The memories of all agents about an account. */
export const memoriesOfAccount = (tenant: string, { channel, accountId }: OwnAccount) =>
  prefixOf(memories, tenant, "account", channel, accountId);
export const memoriesOfRooms = (tenant: string) => prefixOf(memories, tenant, "room");

/** Every turn reads its memory, which rarely changes. */
export const memoryCache = new LastRead<MemoryRecord>();

export const readMemory = async (store: Store, key: ReturnType<typeof accountMemoryKey>): Promise<MemoryRecord> =>
  (await memoryCache.get(store, key))?.value ?? NO_MEMORY;

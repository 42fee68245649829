import { z } from "zod";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import { hasEnded, type Subtask } from "../../contract/messages/subtask.ts";
import type { Audience } from "../../contract/messages/work-context.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import { collection, keyOf, keyParts, prefixOf, type Store } from "../../contract/ports/store.ts";
import { LastRead } from "../../contract/ports/update.ts";
import type { Caller } from "../../delivery/index.ts";
import { readSubtasks } from "../record/subtask-record.ts";
import { type Batch, openCalls } from "./batch.ts";
import { type OwnerAddress, readOwner } from "./owner-record.ts";

/** Maps an account to the owners that delegated work for it, for `status` and `cancel`. */
const WorkPointer = z.looseObject({ since: z.number() });
type WorkPointer = z.infer<typeof WorkPointer>;
const pointers = collection("work-of", WorkPointer, { ttlMs: RETENTION_MS });

/** Pointers that this process wrote recently and need not write again. */
const written = new LastRead<WorkPointer>();
const REWRITE_MS = 3_600_000;

/** Called before the work is stored, so that a crash leaves no work without a pointer. */
export const indexWork = async (
  store: Store,
  { tenant, agent, ownerId }: OwnerAddress,
  { conversation, accountId }: Audience,
  now: number,
): Promise<void> => {
  if (accountId === undefined) return;
  const key = keyOf(pointers, tenant, agent, conversation.channel, accountId, ownerId);
  const known = written.peek(store, key);
  if (known !== undefined && now - known.value.since < REWRITE_MS) return;
  const value = { since: now };
  written.note(store, key, { value, revision: await store.put(key, value) });
};

export const ownersWorkingFor = async (
  store: Store,
  { tenant, agent, channel, accountId }: AgentRef & Caller["accounts"][number],
): Promise<string[]> => {
  const found: string[] = [];
  for await (const { key } of store.list(prefixOf(pointers, tenant, agent, channel, accountId))) {
    found.push(keyParts(key).at(-1) ?? "");
  }
  return found;
};

/** The batches of a person's delegated work, whichever of their accounts asked for it. */
const batchesFor = async (
  store: Store,
  { tenant, agent }: AgentRef,
  { accounts, owns }: Pick<Caller, "accounts" | "owns">,
): Promise<Batch[]> => {
  const owners = await Promise.all(accounts.map((account) => ownersWorkingFor(store, { tenant, agent, ...account })));
  const records = await Promise.all(
    [...new Set(owners.flat())].map((ownerId) => readOwner(store, { tenant, agent, ownerId })),
  );
  return records.flatMap(({ batches }) => Object.values(batches)).filter(({ audience }) => owns(audience));
};

export interface OpenWork {
  /** Oldest first. */
  readonly subtasks: readonly Subtask[];
  /** The ids of calls to other agents, and of calls that wait for an approval. */
  readonly calls: readonly string[];
}

/** The delegated work under way for a person, whichever of their accounts asked for it. */
export const openWorkFor = async (
  store: Store,
  { tenant, agent }: AgentRef,
  caller: Pick<Caller, "accounts" | "owns">,
): Promise<OpenWork> => {
  const batches = await batchesFor(store, { tenant, agent }, caller);
  const open = batches.flatMap(({ members }) => members.filter(({ ended }) => !ended));
  const ids = open.map(({ id }) => id);
  const subtasks = (await readSubtasks(store, { tenant, agent }, ids))
    .filter((subtask) => !hasEnded(subtask))
    .sort((one, other) => one.createdAt.localeCompare(other.createdAt));
  return { subtasks, calls: batches.flatMap(openCalls).map(({ id }) => id) };
};

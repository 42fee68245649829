import { z } from "zod";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import { type Conversation, conversationKey } from "../../contract/messages/conversation.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import { collection, keyOf, keyParts, prefixOf, type Store } from "../../contract/ports/store.ts";
import { type Approval, isOpen, readApproval } from "./approval-record.ts";

/** Maps a room to the requests that it shows, for `approve` and `status`. */
const pointers = collection("approvals-in", z.looseObject({ since: z.string() }), { ttlMs: RETENTION_MS });

/** All threads of a room have one list: a platform may send commands without the thread. */
const roomOf = ({ thread: _, ...room }: Conversation): string => conversationKey(room);

const pointerOf = ({ tenant, id, asked }: Approval) =>
  keyOf(pointers, tenant, asked.agent, roomOf(asked.audience.conversation), id);

export const indexApproval = async (store: Store, approval: Approval): Promise<void> => {
  await store.put(pointerOf(approval), { since: approval.createdAt });
};

export const removeFromIndex = (store: Store, approval: Approval): Promise<void> => store.delete(pointerOf(approval));

/** The undecided and running requests of a tenant, the oldest first; ended ones are not read. */
export const openApprovalsOf = async (store: Store, tenant: string): Promise<Approval[]> => {
  const ids = new Set<string>();
  for await (const { key } of store.list(prefixOf(pointers, tenant))) ids.add(keyParts(key).at(-1) ?? "");
  return readOpen(store, tenant, ids);
};

/** The undecided and running requests that these conversations show, oldest first. */
export const openApprovalsIn = async (
  store: Store,
  { tenant, agent }: AgentRef,
  conversations: readonly Conversation[],
): Promise<Approval[]> => {
  const ids = new Set<string>();
  for (const room of new Set(conversations.map(roomOf))) {
    for await (const { key } of store.list(prefixOf(pointers, tenant, agent, room)))
      ids.add(keyParts(key).at(-1) ?? "");
  }
  return readOpen(store, tenant, ids);
};

const readOpen = async (store: Store, tenant: string, ids: ReadonlySet<string>): Promise<Approval[]> => {
  const found = await Promise.all([...ids].map((id) => readApproval(store, { tenant, id })));
  return found
    .filter((approval) => approval !== undefined)
    .filter(isOpen)
    .sort((one, other) => one.createdAt.localeCompare(other.createdAt));
};

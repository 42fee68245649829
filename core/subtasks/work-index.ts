import { z } from "zod";
import type { Audience } from "../contract/agent-reply.ts";
import { RETENTION_MS } from "../contract/bus.ts";
import { collection, keyOf, keyParts, prefixOf } from "../contract/collection.ts";
import { LastRead } from "../contract/last-read.ts";
import type { Store } from "../contract/store.ts";
import type { OwnerAddress } from "./owner-record.ts";

/** Which owners have delegated something for an account: `status` and `cancel` begin here. */
const WorkPointer = z.looseObject({ since: z.number() });
type WorkPointer = z.infer<typeof WorkPointer>;
const pointers = collection("work-of", WorkPointer, { ttlMs: RETENTION_MS });

/** What this process wrote lately, and need not write again. */
const written = new LastRead<WorkPointer>();
const WRITTEN_AGAIN_MS = 3_600_000;

interface AccountPlace {
  readonly tenant: string;
  readonly agent: string;
  readonly channel: string;
  readonly accountId: string;
}

/** Before the work itself is noted, so that none is forgotten. Work that no account asked for is not listed. */
export const pointToWork = async (
  store: Store,
  { tenant, agent, ownerId }: OwnerAddress,
  { conversation, accountId }: Audience,
  now: number,
): Promise<void> => {
  if (accountId === undefined) return;
  const key = keyOf(pointers, tenant, agent, conversation.channel, accountId, ownerId);
  const known = written.peek(store, key);
  if (known !== undefined && now - known.value.since < WRITTEN_AGAIN_MS) return;
  const value = { since: now };
  written.note(store, key, { value, revision: await store.put(key, value) });
};

export const ownersWorkingFor = async (
  store: Store,
  { tenant, agent, channel, accountId }: AccountPlace,
): Promise<string[]> => {
  const found: string[] = [];
  for await (const { key } of store.list(prefixOf(pointers, tenant, agent, channel, accountId))) {
    found.push(keyParts(key).at(-1) ?? "");
  }
  return found;
};

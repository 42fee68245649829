import { z } from "zod";
import { subjectsOf } from "../contract/messages/subjects.ts";
import type { Bus } from "../contract/ports/bus.ts";
import { collection, keyOf, prefixOf, type Store } from "../contract/ports/store.ts";
import { DELETE, update } from "../contract/ports/update.ts";

/** An account that an operator has blocked. */
export const BlockedAccount = z.looseObject({
  tenant: z.string(),
  channel: z.string(),
  accountId: z.string(),
  /** The operator's own note. */
  reason: z.string().optional(),
  at: z.iso.datetime(),
  /** The account has had its one refusal; all later messages are ignored. */
  refusedAt: z.iso.datetime().optional(),
});
export type BlockedAccount = z.infer<typeof BlockedAccount>;
export type BlockAddress = Pick<BlockedAccount, "tenant" | "channel" | "accountId">;

const blocks = collection("blocked-accounts", BlockedAccount);

const blockKey = ({ tenant, channel, accountId }: BlockAddress) => keyOf(blocks, tenant, channel, accountId);
export const blocksOf = (tenant: string) => prefixOf(blocks, tenant);

/** The whole tenant shares one signal, because core processes do not know the channels. */
export const blocksChanged = (tenant: string) => subjectsOf(tenant).blocksChanged("accounts");

interface BlockDeps {
  readonly store: Store;
  readonly bus: Bus;
}

/** Blocks an account on every process. Idempotent: a second block keeps the first one, with its refusal. */
export const blockAccount = async ({ store, bus }: BlockDeps, block: BlockedAccount): Promise<BlockedAccount> => {
  const { after } = await update(store, blockKey(block), (known) => known ?? block);
  bus.signal(blocksChanged(block.tenant), { channel: block.channel, accountId: block.accountId });
  return after ?? block;
};

/** False if the account was not blocked. */
export const unblockAccount = async ({ store, bus }: BlockDeps, address: BlockAddress): Promise<boolean> => {
  const { outcome } = await update(store, blockKey(address), (known) => (known === undefined ? undefined : DELETE));
  bus.signal(blocksChanged(address.tenant), { channel: address.channel, accountId: address.accountId });
  return outcome === "deleted";
};

export const readBlock = async (store: Store, address: BlockAddress): Promise<BlockedAccount | undefined> =>
  (await store.get(blockKey(address)))?.value;

/** True for one process only: that one refuses the account, all others ignore it. */
export const claimRefusal = async (store: Store, address: BlockAddress, at: string): Promise<boolean> => {
  const { outcome } = await update(store, blockKey(address), (known) =>
    known === undefined || known.refusedAt !== undefined ? known : { ...known, refusedAt: at },
  );
  return outcome === "written";
};

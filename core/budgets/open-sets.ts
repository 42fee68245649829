import { z } from "zod";
import type { OpenKind } from "../contract/budget.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import { update } from "../contract/ports/update.ts";
import type { Account } from "./accounts.ts";

/** The names of what an account has open. Ended ones are removed when the set is full. */
const OpenSet = z.looseObject({ names: z.array(z.string()) });

const sets = collection("budget-open", OpenSet);

const setKey = ({ tenant, holder, scope, subject }: Account, kind: OpenKind) =>
  keyOf(sets, tenant, kind, holder, scope, subject);

/** Adds names to the set of an account by compare-and-set. False: the set would exceed the limit, and is unchanged. */
export const addOpen = async (
  store: Store,
  account: Account,
  kind: OpenKind,
  names: readonly string[],
  isOpen: (name: string) => Promise<boolean>,
): Promise<boolean> => {
  const limit = account.atOnce[kind];
  if (limit === undefined) return true;
  let isAdded = false;
  await update(
    store,
    setKey(account, kind),
    async (current) => {
      const added = [...new Set([...current.names, ...names])];
      const open = added.length <= limit ? added : await stillOpen(added, names, isOpen);
      isAdded = open.length <= limit;
      if (!isAdded || (open.length === current.names.length && added.length === current.names.length)) return current;
      return { names: open };
    },
    { initial: { names: [] as string[] } },
  );
  return isAdded;
};

const stillOpen = async (
  all: readonly string[],
  added: readonly string[],
  isOpen: (name: string) => Promise<boolean>,
): Promise<string[]> => {
  const kept = await Promise.all(all.map(async (name) => added.includes(name) || (await isOpen(name))));
  return all.filter((_, index) => kept[index]);
};

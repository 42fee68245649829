import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { ledgerKey } from "../../../core/delivery/ledger-entry.ts";
import type { Ledger } from "../ledger.ts";
import type { RelayContext } from "../relay-context.ts";
import type { Begun } from "./begun-digest.ts";

/** What people can have seen of an item; of one that is shown, the platform's id of its last message. */
export type Fate = { readonly shown: string } | "unsent" | "unknown";

/** What became of the items of a digest that is not sent to its end. From now on nobody sends the rest of it. */
export const fatesOf = async (
  context: RelayContext,
  ledger: Ledger,
  { digest, requests, parts }: Begun,
): Promise<ReadonlyMap<string, Fate>> => {
  const fates: Fate[] = [];
  for (const part of parts) fates.push(await fateOf(context, ledger, part));
  const isIn = (id: string, index: number) => digest.parts[index]?.itemIds.includes(id) ?? true;
  return new Map(requests.map(({ id }) => [id, together(fates.filter((_, index) => isIn(id, index)))]));
};

const fateOf = async ({ store }: RelayContext, ledger: Ledger, part: Delivery): Promise<Fate> => {
  if (await ledger.withdraw(part)) return "unsent";
  const entry = (await store.get(ledgerKey(part.reply.id, part.target, part.part.index)))?.value;
  return entry?.state === "accepted" ? { shown: entry.messageId } : "unknown";
};

const together = (fates: readonly Fate[]): Fate => {
  if (fates.every((fate) => fate === "unsent")) return "unsent";
  const last = fates.at(-1);
  return last !== undefined && fates.every((fate) => typeof fate === "object") ? last : "unknown";
};

import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { ledgerKey } from "../../../core/delivery/index.ts";
import type { Ledger } from "../ledger.ts";
import type { RelayContext } from "../relay-context.ts";
import type { Begun } from "./begun-digest.ts";

/** What people can have seen of a part, or of an item; of one that is shown, the platform's id of its last message. */
export type Fate = { readonly shown: string } | "unsent" | "unknown";

export const isShown = (fate: Fate | undefined): fate is { readonly shown: string } => typeof fate === "object";

export const messageIdOf = (fate: Fate): string | undefined => (isShown(fate) ? fate.shown : undefined);

export interface Fates {
  readonly parts: readonly Fate[];
  /** By the id of their request. */
  readonly items: ReadonlyMap<string, Fate>;
}

/** What became of a digest that is not sent to its end. From now on nobody sends the rest of it. */
export const fatesOf = async (context: RelayContext, ledger: Ledger, begun: Begun): Promise<Fates> => {
  const { digest, requests } = begun;
  const parts: Fate[] = [];
  for (const part of begun.parts) parts.push(await fateOf(context, ledger, part));
  const isIn = (id: string, index: number) => digest.parts[index]?.itemIds.includes(id) ?? true;
  const items = requests.map(({ id }) => [id, together(parts.filter((_, index) => isIn(id, index)))] as const);
  return { parts, items: new Map(items) };
};

const fateOf = async ({ store }: RelayContext, ledger: Ledger, part: Delivery): Promise<Fate> => {
  if (await ledger.withdraw(part)) return "unsent";
  const entry = (await store.get(ledgerKey(part.reply.id, part.target, part.part.index)))?.value;
  return entry?.state === "accepted" ? { shown: entry.messageId } : "unknown";
};

const together = (fates: readonly Fate[]): Fate => {
  if (fates.every((fate) => fate === "unsent")) return "unsent";
  const last = fates.at(-1);
  return last !== undefined && fates.every(isShown) ? last : "unknown";
};

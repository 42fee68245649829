import { keyParts } from "../contract/collection.ts";
import type { Store } from "../contract/store.ts";
import type { Addressee, Undelivered } from "./undelivered.ts";
import { pointerKey, pointersOf, undeliveredKey } from "./undelivered.ts";

export interface Page {
  readonly limit: number;
  /** The id of the last one of the page before. */
  readonly after?: string | undefined;
}

/** What was given up and is for these, the newest first; `isShown` says which of them may be seen. */
export const listUndeliveredFor = async (
  store: Store,
  tenant: string,
  addressees: readonly Addressee[],
  { limit, after = "" }: Page,
  isShown: (entry: Undelivered) => boolean = () => true,
): Promise<Undelivered[]> => {
  const pointers: { id: string; channel: string }[] = [];
  for (const addressee of addressees) {
    for await (const { key, value } of store.list(pointersOf(tenant, addressee))) {
      const id = keyParts(key).at(-1) ?? "";
      if (id > after) pointers.push({ id, channel: value.channel });
    }
  }
  const found: Undelivered[] = [];
  for (const { id, channel } of pointers.sort((one, other) => (one.id < other.id ? -1 : 1))) {
    const entry = (await store.get(undeliveredKey({ tenant, channel, id })))?.value;
    if (entry !== undefined && isShown(entry)) found.push(entry);
    if (found.length >= limit) break;
  }
  return found;
};

/** The one with this id, if it is for one of these. */
export const pointedUndelivered = async (
  store: Store,
  tenant: string,
  addressees: readonly Addressee[],
  id: string,
): Promise<Undelivered | undefined> => {
  // What a person types may be anything.
  if (!/^[a-z0-9-]{1,40}$/.test(id)) return undefined;
  for (const addressee of addressees) {
    const pointer = await store.get(pointerKey(tenant, addressee, id));
    if (pointer) return (await store.get(undeliveredKey({ tenant, channel: pointer.value.channel, id })))?.value;
  }
  return undefined;
};

import { z } from "zod";
import {
  collection,
  type Key,
  keyOf,
  keyParts,
  prefixOf,
  type Store,
  type Stored,
} from "../../../core/contract/ports/store.ts";
import { putIfUnchanged } from "../../../core/contract/ports/update.ts";
import { Unreachable } from "./reach-state.ts";

/** The data for posting to a room, from its last authenticated activity. */
const Reference = z.looseObject({
  serviceUrl: z.string().min(1),
  kind: z.enum(["personal", "groupChat", "channel"]),
  /** The team's id in the directory, which deep links need. */
  groupId: z.string().optional(),
  /** The other account of a private room. */
  accountId: z.string().optional(),
  /** Set while Teams rejects messages for the room. Any activity from there clears it. */
  unreachable: Unreachable.optional(),
});
export type Reference = z.infer<typeof Reference>;

/** The data for writing to a person who may not have written in private yet. */
const PersonReference = z.looseObject({
  userId: z.string().min(1),
  serviceUrl: z.string().min(1),
  privateRoom: z.string().optional(),
});
export type PersonReference = z.infer<typeof PersonReference>;

const rooms = collection("teams-rooms", Reference);
const people = collection("teams-people", PersonReference);

/** Stored references for proactive messages to rooms and people. Writes only changes. */
export class References {
  readonly #store: Store;
  readonly #channel: string;

  constructor(store: Store, channel: string) {
    this.#store = store;
    this.#channel = channel;
  }

  room(room: string): Promise<Stored<Reference> | undefined> {
    return this.#store.get(this.#roomKey(room));
  }

  person(accountId: string): Promise<Stored<PersonReference> | undefined> {
    return this.#store.get(this.#personKey(accountId));
  }

  /** Keeps stored fields that the activity omits. */
  storeRoom(room: string, seen: Reference): Promise<void> {
    return this.#keep(this.#roomKey(room), (known) => {
      const { unreachable: _, ...last } = known ?? {};
      return { ...last, ...seen };
    });
  }

  storePerson(accountId: string, seen: PersonReference): Promise<void> {
    return this.#keep(this.#personKey(accountId), (known) => ({ ...known, ...seen }));
  }

  /** Sets or clears `unreachable`, unless the record has changed since it was read. */
  async mark(
    room: string,
    { value, revision }: Stored<Reference>,
    unreachable: Unreachable | undefined,
  ): Promise<void> {
    const { unreachable: _, ...reference } = value;
    const next = unreachable === undefined ? reference : { ...reference, unreachable };
    await putIfUnchanged(this.#store, this.#roomKey(room), next, revision);
  }

  /** All unreachable rooms. For operators: it scans every room. */
  async *unreachable(): AsyncIterable<{
    key: string;
    room: string;
    reference: Reference & { unreachable: Unreachable };
  }> {
    for await (const { key, value } of this.#store.list(prefixOf(rooms, this.#channel))) {
      const { unreachable } = value;
      const room = keyParts(key).at(-1) ?? "";
      if (unreachable !== undefined) yield { key, room, reference: { ...value, unreachable } };
    }
  }

  async #keep<T>(key: Key<T>, next: (known: T | undefined) => T): Promise<void> {
    const known = await this.#store.get(key);
    const value = next(known?.value);
    if (known && sameFields(known.value, value)) return;
    await this.#store.put(key, value);
  }

  #roomKey(room: string) {
    return keyOf(rooms, this.#channel, room);
  }

  #personKey(accountId: string) {
    return keyOf(people, this.#channel, accountId);
  }
}

const sameFields = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

const sorted = (value: unknown) => Object.entries(value ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

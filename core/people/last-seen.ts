import { z } from "zod";
import { BoundedCache } from "../contract/bounded-cache.ts";
import { type Clock, isoTime } from "../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import type { AccountAddress, PersonRecord } from "./person-record.ts";

/** The day on which an account last wrote to an agent of its tenant. */
const Seen = z.looseObject({ at: z.iso.datetime() });

const DAY_MS = 24 * 3_600_000;
const seen = collection("last-seen", Seen, { ttlMs: 4_000 * DAY_MS });
const seenKey = ({ tenant, channel, accountId }: AccountAddress) => keyOf(seen, tenant, channel, accountId);

const MAX_CACHED = 20_000;

/** Records when people were last here, once a day for each account, so that unattended work of people who left can end. */
export class LastSeen {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #recorded = new BoundedCache<string, number>(MAX_CACHED);

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Whether this process has not recorded the account for a day. */
  isDue(address: AccountAddress): boolean {
    return this.#clock.now() - (this.#recorded.get(nameOf(address)) ?? 0) >= DAY_MS;
  }

  async record(address: AccountAddress): Promise<void> {
    const now = this.#clock.now();
    this.#recorded.set(nameOf(address), now);
    await this.#store.put(seenKey(address), { at: isoTime(now) });
  }

  /** The last time of any of the person's accounts, or of this one; undefined if none was ever recorded. */
  async of(address: AccountAddress, { tenant, accounts }: PersonRecord): Promise<number | undefined> {
    const addresses = [address, ...accounts.map(({ channel, accountId }) => ({ tenant, channel, accountId }))];
    const found = await Promise.all(addresses.map((each) => this.#store.get(seenKey(each))));
    const times = found.flatMap((entry) => (entry === undefined ? [] : [Date.parse(entry.value.at)]));
    return times.length === 0 ? undefined : Math.max(...times);
  }
}

const nameOf = ({ tenant, channel, accountId }: AccountAddress): string => [tenant, channel, accountId].join("\n");

import { type Clock, dayOf } from "../contract/ports/clock.ts";
import type { Store } from "../contract/ports/store.ts";
import { update } from "../contract/ports/update.ts";
import type { Account, Amounts, Resource } from "./accounts.ts";
import { type LedgerRecord, ledgerKey, NOTHING } from "./ledger-record.ts";

/**
 * A process leases a tenth of a limit at once, but of a large limit a hundredth: the block of a killed process counts as
 * used, and a limit that many people share must outlast many crashes. Less near the limit, so that processes can share
 * the rest.
 */
const BLOCKS_PER_LIMIT = 10;
const BLOCKS_PER_LARGE_LIMIT = 100;

/** A smaller block would often need another write for the next request. Cost is in millionths. */
const ENOUGH: Readonly<Record<Resource, number>> = {
  turns: 20,
  tokens: 100_000,
  cost: 100_000,
  subtasks: 20,
  bytes: 1_000_000,
};

const blockOf = (resource: Resource, hard: number): number =>
  Math.floor(Math.max(hard / BLOCKS_PER_LARGE_LIMIT, Math.min(hard / BLOCKS_PER_LIMIT, ENOUGH[resource])));

/** Why an account does not admit a piece of work. */
export interface Refusal {
  readonly account: Account;
  readonly resource: Resource;
  /** soft: a person may lift it. unattended: the rest is reserved for people. */
  readonly why: "soft" | "unattended" | "hard";
}

/** The lease of this process on one account for one day. */
interface Lease {
  readonly account: Account;
  readonly day: string;
  /** The record as this process last read or wrote it. */
  record: LedgerRecord;
  /** Leased and not used yet. Negative: used beyond the lease, because an estimate was too low. */
  readonly left: Map<Resource, number>;
  /** Serialises the requests to the store. */
  queue: Promise<unknown>;
  /** Requests in the queue; while there are any, all requests queue, so that none takes what another counts on. */
  queued: number;
  usedAt: number;
}

interface LedgerDeps {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Counts the use of accounts. A process leases a block of an account by compare-and-set, and most requests take from the
 * block without the store. The sum of all blocks never exceeds a limit.
 */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #leases = new Map<string, Lease>();

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
  }

  /** Takes from the account, or returns why not; nothing is taken then. Resources without a limit are ignored. */
  async take(account: Account, amounts: Amounts, isUnattended: boolean): Promise<Refusal | undefined> {
    const lease = this.#leaseOf(account);
    const limited = limitedAmounts(account, amounts);
    if (lease.queued === 0 && covers(lease, limited) && refusalOf(lease, limited, isUnattended) === undefined) {
      draw(lease, limited);
      return undefined;
    }
    return inTurn(lease, () => this.#takeLeasing(lease, limited, isUnattended));
  }

  /** Why `take` would refuse now, by the record in the store. Takes nothing. */
  async refusalOf(account: Account, amounts: Amounts, isUnattended: boolean): Promise<Refusal | undefined> {
    await this.refresh(account);
    return refusalOf(this.#leaseOf(account), limitedAmounts(account, amounts), isUnattended);
  }

  /**
   * Adds to the use of a day, without a check: the work is done. Negative amounts return what was taken and not used. The
   * use of a day that is over no longer counts.
   */
  charge(account: Account, amounts: Amounts, day = this.today()): void {
    const lease = this.#leaseOf(account);
    if (lease.day === day) draw(lease, limitedAmounts(account, amounts));
  }

  today(): string {
    return dayOf(this.#deps.clock.now());
  }

  /** The use of today as far as this process knows. Leases of other processes count as used. */
  used(account: Account, resource: Resource): number {
    const { record, left } = this.#leaseOf(account);
    return (record.taken[resource] ?? 0) - (left.get(resource) ?? 0);
  }

  /** The record of today as this process last read it. */
  known(account: Account): LedgerRecord {
    return this.#leaseOf(account).record;
  }

  /** Reads the record of today again. */
  async refresh(account: Account): Promise<void> {
    const lease = this.#leaseOf(account);
    const stored = await this.#deps.store.get(ledgerKey(account, lease.day));
    lease.record = stored?.value ?? NOTHING;
  }

  /** Changes warnings and soft limit of today; `change` must leave the amounts alone. */
  async note(account: Account, change: (record: LedgerRecord) => LedgerRecord): Promise<void> {
    const lease = this.#leaseOf(account);
    await inTurn(lease, () => this.#write(lease, change));
  }

  /** Returns the unused blocks of accounts that have been idle for `idleMs`. */
  async giveBack(idleMs: number): Promise<void> {
    const { clock } = this.#deps;
    const idle = [...this.#leases].filter(([, { usedAt }]) => clock.monotonic() - usedAt >= idleMs);
    for (const [key, lease] of idle) {
      this.#leases.delete(key);
      if (lease.day !== this.today()) continue;
      await inTurn(lease, async () => {
        const left = new Map(lease.left);
        if ([...left.values()].every((amount) => amount === 0)) return;
        await this.#write(lease, (record) => ({ ...record, taken: withoutLeft(record.taken, left) }));
      });
    }
  }

  async #takeLeasing(lease: Lease, amounts: Amounts, isUnattended: boolean): Promise<Refusal | undefined> {
    let refusal: Refusal | undefined;
    await this.#write(lease, (record) => {
      refusal = refusalOf({ ...lease, record }, amounts, isUnattended);
      const taken = { ...record.taken };
      let isChanged = false;
      for (const [resource, amount] of entriesOf(amounts)) {
        const left = lease.left.get(resource) ?? 0;
        const granted = grantFor(lease.account, resource, record, left, refusal === undefined ? amount : 0);
        if (granted === 0) continue;
        taken[resource] = (taken[resource] ?? 0) + granted;
        isChanged = true;
      }
      return isChanged ? { ...record, taken } : record;
    });
    if (refusal === undefined) draw(lease, amounts);
    return refusal;
  }

  /** Writes the record, and adds what was newly taken to the lease. */
  async #write(lease: Lease, change: (record: LedgerRecord) => LedgerRecord): Promise<void> {
    const key = ledgerKey(lease.account, lease.day);
    const { before, after } = await update(this.#deps.store, key, change, { initial: NOTHING });
    lease.record = after;
    for (const resource of Object.keys(after.taken) as Resource[]) {
      const granted = (after.taken[resource] ?? 0) - (before.taken[resource] ?? 0);
      if (granted !== 0) lease.left.set(resource, (lease.left.get(resource) ?? 0) + granted);
    }
  }

  #leaseOf(account: Account): Lease {
    const { clock } = this.#deps;
    const key = `${account.tenant}\n${account.holder}\n${account.scope}\n${account.subject}`;
    const day = this.today();
    let lease = this.#leases.get(key);
    if (lease?.day !== day) {
      lease = { account, day, record: NOTHING, left: new Map(), queue: Promise.resolve(), queued: 0, usedAt: 0 };
      this.#leases.set(key, lease);
    }
    lease.usedAt = clock.monotonic();
    return lease;
  }
}

/** Runs a request to the store after those before it. */
const inTurn = async <R>(lease: Lease, request: () => Promise<R>): Promise<R> => {
  lease.queued++;
  const result = lease.queue.then(request).finally(() => lease.queued--);
  lease.queue = result.catch(() => undefined);
  return result;
};

const refusalOf = (
  { account, record, left }: Pick<Lease, "account" | "record" | "left">,
  amounts: Amounts,
  isUnattended: boolean,
): Refusal | undefined => {
  const { softShare, unattendedShare } = account;
  for (const [resource, amount] of entriesOf(amounts)) {
    const hard = account.daily[resource] ?? 0;
    const after = (record.taken[resource] ?? 0) - (left.get(resource) ?? 0) + amount;
    if (after > hard) return { account, resource, why: "hard" };
    if (isUnattended && after > Math.floor(hard * unattendedShare)) return { account, resource, why: "unattended" };
    if (softShare !== undefined && !record.lifted && after > Math.floor(hard * softShare)) {
      return { account, resource, why: "soft" };
    }
  }
  return undefined;
};

const entriesOf = (amounts: Amounts) => Object.entries(amounts) as [Resource, number][];

const limitedAmounts = ({ daily }: Account, amounts: Amounts): Amounts =>
  Object.fromEntries(entriesOf(amounts).filter(([resource]) => daily[resource] !== undefined));

const covers = ({ left }: Lease, amounts: Amounts): boolean =>
  entriesOf(amounts).every(([resource, amount]) => (left.get(resource) ?? 0) >= amount);

const draw = ({ left }: Lease, amounts: Amounts): void => {
  for (const [resource, amount] of entriesOf(amounts)) left.set(resource, (left.get(resource) ?? 0) - amount);
};

/** How much to lease: a block that covers debt and amount. A refused request only pays the debt. */
const grantFor = (
  { daily }: Account,
  resource: Resource,
  { taken }: LedgerRecord,
  left: number,
  amount: number,
): number => {
  const needed = amount - left;
  if (needed <= 0) return 0;
  if (amount === 0) return -left;
  const hard = daily[resource] ?? 0;
  const free = hard - (taken[resource] ?? 0);
  const block = Math.min(blockOf(resource, hard), Math.ceil(free / 2));
  return Math.max(needed, block);
};

const withoutLeft = (taken: LedgerRecord["taken"], left: ReadonlyMap<Resource, number>): LedgerRecord["taken"] => {
  const changed = { ...taken };
  for (const [resource, amount] of left) changed[resource] = Math.max(0, (changed[resource] ?? 0) - amount);
  return changed;
};

import { messageOf } from "../contract/app-error.ts";
import type { Clock, Timer } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Store } from "../contract/ports/store.ts";
import { DELETE, update } from "../contract/ports/update.ts";
import type { Account } from "./accounts.ts";
import { changedSlots, dueIn, limitOfSlots, NO_TURNS, PLACE_MS, type SlotRecord, slotKey } from "./slot-record.ts";

/** How soon a process notices that another one has made room. */
const POLL_MS = 1_000;
const RENEW_MS = PLACE_MS / 3;

interface SlotDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The place of a turn: it may run until `leave`, or it waits for `account` until `onRoom` calls back. */
export type TurnPlace =
  | { readonly mayRun: true; leave(): void }
  | { readonly mayRun: false; readonly account: Account; onRoom(wake: () => void): () => void };

/** The turns of this process in one account. */
interface Slots {
  readonly account: Account;
  /** The value says whether the turn is unattended. */
  readonly running: Map<string, boolean>;
  /** Turns in the line, with the function that wakes them once their message waits for it. */
  readonly waiting: Map<string, (() => void) | undefined>;
  leaves: Set<string>;
  takes: Map<string, boolean>;
  /** The write that will include the collected changes. */
  next: Promise<SlotRecord> | undefined;
  last: Promise<unknown>;
}

/**
 * Limits the turns that run at once over all processes, in one line per account. A process that is killed loses its places
 * when they expire; the same turn in another process takes its place over. All changes of a process that wait for the
 * store are one write.
 */
export class TurnSlots {
  readonly #deps: SlotDeps;
  readonly #accounts = new Map<string, Slots>();
  #timer: { readonly timer: Timer; readonly ms: number } | undefined;
  #isStopped = false;

  constructor(deps: SlotDeps) {
    this.#deps = deps;
  }

  /** A turn holds its places in all accounts or in none, so that turns never wait for each other. */
  async begin(accounts: readonly Account[], turnId: string, isUnattended: boolean): Promise<TurnPlace> {
    for (const account of accounts) {
      if (await this.take(account, turnId, isUnattended)) continue;
      for (const other of accounts) if (other !== account) this.leave(other, turnId);
      return { mayRun: false, account, onRoom: (wake) => this.onRoom(account, turnId, wake) };
    }
    return {
      mayRun: true,
      leave: () => {
        for (const account of accounts) this.leave(account, turnId);
      },
    };
  }

  /** True: the turn may run until `leave`. False: it has a place in the line; `onRoom` wakes it. */
  async take(account: Account, turnId: string, isUnattended: boolean): Promise<boolean> {
    const slots = this.#slotsOf(account);
    slots.takes.set(turnId, isUnattended);
    if (!slots.waiting.has(turnId)) slots.waiting.set(turnId, undefined);
    const { running } = await this.#write(slots);
    const mayRun = running.some(({ id }) => id === turnId);
    if (mayRun) {
      slots.waiting.delete(turnId);
      slots.running.set(turnId, isUnattended);
    }
    this.#arm();
    return mayRun;
  }

  /** Calls `wake` once the turn may run. The result cancels the call; the turn keeps its place. */
  onRoom(account: Account, turnId: string, wake: () => void): () => void {
    const { waiting } = this.#slotsOf(account);
    waiting.set(turnId, wake);
    this.#arm();
    return () => {
      if (waiting.get(turnId) === wake) waiting.set(turnId, undefined);
    };
  }

  /** Ends a turn, or its wait. A failed write is retried with the next renewal; otherwise the place expires. */
  leave(account: Account, turnId: string): void {
    const slots = this.#slotsOf(account);
    if (slots.running.delete(turnId) || slots.waiting.delete(turnId)) {
      slots.leaves.add(turnId);
      void this.#refresh(slots);
    } else this.#forget(slots);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.timer.cancel();
    for (const slots of this.#accounts.values()) await slots.last;
  }

  /** Renews the places of this process, and wakes the turns for which there is room. */
  async #refresh(slots: Slots): Promise<void> {
    try {
      await this.#write(slots);
    } catch (error) {
      this.#deps.logger.warn({ error: messageOf(error) }, "could not store running turns, will be retried");
    }
    this.#forget(slots);
    this.#arm();
  }

  #write(slots: Slots): Promise<SlotRecord> {
    if (slots.next !== undefined) return slots.next;
    const next = slots.last.then(() => {
      slots.next = undefined;
      return this.#writeNow(slots);
    });
    slots.next = next;
    slots.last = next.catch(() => undefined);
    return next;
  }

  async #writeNow(slots: Slots): Promise<SlotRecord> {
    const { store, clock } = this.#deps;
    const { leaves, takes, account, waiting } = slots;
    slots.leaves = new Set();
    slots.takes = new Map();
    const limit = limitOfSlots(account);
    const runs = new Map(slots.running);
    // A turn that nothing wakes here may wait in another process by now, so its place is not renewed.
    const waits = new Set([...waiting].flatMap(([id, wake]) => (wake ? [id] : [])));
    try {
      const { after } = await update(
        store,
        slotKey(account),
        (record) => {
          const changed = changedSlots(record, limit, { now: clock.now(), leaves, takes, runs, waits });
          return changed.running.length + changed.waiting.length === 0 ? DELETE : changed;
        },
        { initial: NO_TURNS },
      );
      const inLine = new Set(after.waiting.map(({ id }) => id));
      for (const [id, wake] of waiting) if (wake === undefined && !inLine.has(id)) waiting.delete(id);
      for (const id of dueIn(after, limit)) waiting.get(id)?.();
      return after;
    } catch (error) {
      for (const id of leaves) if (!slots.running.has(id)) slots.leaves.add(id);
      throw error;
    }
  }

  #arm(): void {
    const all = [...this.#accounts.values()];
    const isWaiting = all.some(({ waiting }) => [...waiting.values()].some((wake) => wake !== undefined));
    const ms = isWaiting ? POLL_MS : RENEW_MS;
    if (this.#isStopped || all.length === 0 || (this.#timer !== undefined && this.#timer.ms <= ms)) return;
    this.#timer?.timer.cancel();
    const timer = this.#deps.clock.after(ms, () => {
      this.#timer = undefined;
      for (const slots of this.#accounts.values()) void this.#refresh(slots);
    });
    this.#timer = { timer, ms };
  }

  #forget(slots: Slots): void {
    const { running, waiting, leaves, takes } = slots;
    if (running.size + waiting.size + leaves.size + takes.size > 0 || slots.next !== undefined) return;
    const key = slotKey(slots.account).encoded;
    if (this.#accounts.get(key) === slots) this.#accounts.delete(key);
  }

  #slotsOf(account: Account): Slots {
    const key = slotKey(account).encoded;
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const slots: Slots = {
      account,
      running: new Map(),
      waiting: new Map(),
      leaves: new Set(),
      takes: new Map(),
      next: undefined,
      last: Promise.resolve(),
    };
    this.#accounts.set(key, slots);
    return slots;
  }
}

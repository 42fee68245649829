import { RevisionConflict } from "../contract/app-error.ts";
import type { Clock } from "../contract/clock.ts";
import type { Store, Stored } from "../contract/store.ts";
import type { OwnerAddress, OwnerRecord } from "./owner-record.ts";
import { emptyOwner, ownerKey, ownersRead, withoutOld } from "./owner-record.ts";

export interface OwnerChange {
  readonly before: OwnerRecord;
  readonly after: OwnerRecord;
}

interface Job {
  /** May be asked several times; the same record back: nothing to write. */
  readonly change: (record: OwnerRecord) => OwnerRecord;
  resolve(change: OwnerChange): void;
  reject(error: unknown): void;
}

interface Lane {
  waiting: Job[];
  isBusy: boolean;
  /** As this process last wrote it. Others may have changed it since: the next write finds out. */
  known?: Stored<OwnerRecord> | undefined;
  /** Batches whose follow-ups this process has published: nobody needs them any more. */
  readonly told: Set<string>;
}

/** Owners whose records are remembered between two changes. */
const MOST_LANES = 500;

/**
 * Changes what owners have delegated, by compare-and-set. Changes of one owner that come together become one write,
 * and what this process wrote itself it need not read again.
 */
export class OwnerRecords {
  readonly #store: Store;
  readonly #clock: Clock;
  /** In the order of their last use. */
  readonly #lanes = new Map<string, Lane>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  change(address: OwnerAddress, change: Job["change"]): Promise<OwnerChange> {
    const lane = this.#laneOf(address);
    return new Promise((resolve, reject) => {
      lane.waiting.push({ change, resolve, reject });
      if (!lane.isBusy) void this.#work(address, lane);
    });
  }

  /** All that follows from a batch is published: its next change may forget it. */
  markTold(address: OwnerAddress, turnId: string): void {
    this.#laneOf(address).told.add(turnId);
  }

  async #work(address: OwnerAddress, lane: Lane): Promise<void> {
    lane.isBusy = true;
    // Ends that were stored together come together: a pass later all of them wait here.
    await new Promise((nextPass) => setImmediate(nextPass));
    while (lane.waiting.length > 0) {
      const jobs = lane.waiting;
      lane.waiting = [];
      try {
        const changes = await this.#apply(address, lane, jobs);
        for (const [index, job] of jobs.entries()) job.resolve(changes[index] as OwnerChange);
      } catch (error) {
        lane.known = undefined;
        for (const job of jobs) job.reject(error);
      }
    }
    lane.isBusy = false;
  }

  async #apply(address: OwnerAddress, lane: Lane, jobs: readonly Job[]): Promise<OwnerChange[]> {
    const key = ownerKey(address);
    for (;;) {
      const isKnown = lane.known !== undefined;
      const stored = lane.known ?? (await ownersRead.get(this.#store, key));
      lane.known = undefined;
      const original = stored?.value ?? emptyOwner;
      let record = original;
      const changes = jobs.map(({ change }) => {
        const before = record;
        record = change(before);
        return { before, after: record };
      });
      if (record === original) {
        // That there is nothing to do is true only of what is stored now.
        if (isKnown) continue;
        lane.known = stored;
        return changes;
      }
      const value = withoutOld(record, this.#clock.now(), lane.told);
      try {
        const revision = await this.#store.put(key, value, { ifRevision: stored?.revision ?? 0 });
        lane.known = { value, revision };
        ownersRead.note(this.#store, key, lane.known);
        for (const turnId of lane.told) if (!(turnId in value.batches)) lane.told.delete(turnId);
        return changes;
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
      }
    }
  }

  #laneOf(address: OwnerAddress): Lane {
    const name = ownerKey(address).spelled;
    const lane = this.#lanes.get(name) ?? { waiting: [], isBusy: false, told: new Set() };
    this.#lanes.delete(name);
    this.#lanes.set(name, lane);
    if (this.#lanes.size > MOST_LANES) this.#dropOldest();
    return lane;
  }

  /** One that is at work must stay, or two would write side by side. */
  #dropOldest(): void {
    for (const [name, { isBusy }] of this.#lanes) {
      if (isBusy) continue;
      this.#lanes.delete(name);
      return;
    }
  }
}

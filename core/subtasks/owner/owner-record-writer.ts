import { RevisionConflict } from "../../contract/app-error.ts";
import type { Clock, Timer } from "../../contract/clock.ts";
import type { Store, Stored } from "../../contract/store.ts";
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
  readonly address: OwnerAddress;
  waiting: Job[];
  /** Written together with the next change, whatever that is. */
  parked: Job[];
  parkedUntil?: Timer | undefined;
  isBusy: boolean;
  /** As this process last wrote it. Others may have changed it since: the next write finds out. */
  known?: Stored<OwnerRecord> | undefined;
  /** Batches whose follow-ups this process has published: nobody needs them any more. */
  readonly told: Set<string>;
}

/** Who parks holds a place in which another subtask could run: a turn that thinks, or waits for others, is not waited for. */
export const MAX_PARKED_MS = 120;

/** Owners whose records are remembered between two changes. */
const MAX_LANES = 500;

/**
 * Changes what owners have delegated, by compare-and-set. Changes of one owner that come together become one write,
 * and what this process wrote itself it need not read again.
 */
export class OwnerRecordWriter {
  readonly #store: Store;
  readonly #clock: Clock;
  /** In the order of their last use. */
  readonly #lanes = new Map<string, Lane>();
  /** Those in which something is parked, by the turn that it waits for. */
  readonly #parking = new Map<string, Lane>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  change(address: OwnerAddress, change: Job["change"]): Promise<OwnerChange> {
    const lane = this.#laneOf(address);
    return new Promise((resolve, reject) => {
      lane.waiting.push({ change, resolve, reject });
      this.#start(lane);
    });
  }

  /** The same, but together with the next change of the owner, or at the release of the turn, if that is soon. */
  changeWith(turnId: string, address: OwnerAddress, change: Job["change"]): Promise<OwnerChange> {
    const lane = this.#laneOf(address);
    this.#parking.set(turnId, lane);
    lane.parkedUntil ??= this.#clock.after(MAX_PARKED_MS, () => this.#unpark(lane));
    return new Promise((resolve, reject) => lane.parked.push({ change, resolve, reject }));
  }

  /** The turn is over in this process, in whatever way. */
  release(turnId: string): void {
    const lane = this.#parking.get(turnId);
    if (lane === undefined) return;
    this.#parking.delete(turnId);
    this.#unpark(lane);
  }

  /** All that follows from a batch is published: its next change may forget it. */
  markPublished(address: OwnerAddress, turnId: string): void {
    this.#laneOf(address).told.add(turnId);
  }

  #unpark(lane: Lane): void {
    if (lane.parked.length === 0) return;
    lane.waiting.unshift(...takeParked(lane));
    this.#start(lane);
  }

  #start(lane: Lane): void {
    if (!lane.isBusy) void this.#work(lane);
  }

  async #work(lane: Lane): Promise<void> {
    lane.isBusy = true;
    // Ends that were stored together come together: a pass later all of them wait here.
    await new Promise((nextPass) => setImmediate(nextPass));
    while (lane.waiting.length > 0) {
      const jobs = [...takeParked(lane), ...lane.waiting];
      lane.waiting = [];
      try {
        const changes = await this.#apply(lane, jobs);
        for (const [index, job] of jobs.entries()) job.resolve(changes[index] as OwnerChange);
      } catch (error) {
        lane.known = undefined;
        for (const job of jobs) job.reject(error);
      }
    }
    lane.isBusy = false;
  }

  async #apply(lane: Lane, jobs: readonly Job[]): Promise<OwnerChange[]> {
    const key = ownerKey(lane.address);
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
    const lane = this.#lanes.get(name) ?? newLane(address);
    this.#lanes.delete(name);
    this.#lanes.set(name, lane);
    if (this.#lanes.size > MAX_LANES) this.#dropOldest();
    return lane;
  }

  /** One that has something to do must stay, or two would write side by side. */
  #dropOldest(): void {
    for (const [name, { isBusy, parked }] of this.#lanes) {
      if (isBusy || parked.length > 0) continue;
      this.#lanes.delete(name);
      return;
    }
  }
}

const takeParked = (lane: Lane): Job[] => {
  const { parked } = lane;
  lane.parked = [];
  lane.parkedUntil?.cancel();
  lane.parkedUntil = undefined;
  return parked;
};

const newLane = (address: OwnerAddress): Lane => ({
  address,
  waiting: [],
  parked: [],
  isBusy: false,
  told: new Set(),
});

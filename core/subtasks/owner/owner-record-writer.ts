import type { Clock, Timer } from "../../contract/clock.ts";
import type { Store, Stored } from "../../contract/store.ts";
import { update } from "../../contract/update.ts";
import type { OwnerAddress, OwnerRecord } from "./owner-record.ts";
import { emptyOwner, ownerKey, ownersRead, withoutOld } from "./owner-record.ts";

export interface OwnerChange {
  readonly before: OwnerRecord;
  readonly after: OwnerRecord;
}

interface Job {
  /** May run several times. Returns the same object if there is nothing to write. */
  readonly change: (record: OwnerRecord) => OwnerRecord;
  resolve(change: OwnerChange): void;
  reject(error: unknown): void;
}

interface Lane {
  readonly address: OwnerAddress;
  waiting: Job[];
  /** Jobs that wait for the next change, to share its write. */
  parked: Job[];
  parkedUntil?: Timer | undefined;
  isBusy: boolean;
  /** The record as this process last wrote it; the compare-and-set detects changes by others. */
  known?: Stored<OwnerRecord> | undefined;
  /** Batches whose effects this process has published: the next write may remove them. */
  readonly published: Set<string>;
}

/** A parked job holds a slot in which another subtask could run, so a longer turn is not waited for. */
export const MAX_PARKED_MS = 120;

/** Owners whose records are cached between two changes. */
const MAX_LANES = 500;

/**
 * Changes owner records by compare-and-set. Concurrent changes of one owner share a write, and a record that this
 * process wrote last is not read again.
 */
export class OwnerRecordWriter {
  readonly #store: Store;
  readonly #clock: Clock;
  /** Least recently used first. */
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with parked jobs, by the turn that those wait for. */
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

  /** Parks the change until the next change of the owner, the release of the turn, or MAX_PARKED_MS. */
  changeWith(turnId: string, address: OwnerAddress, change: Job["change"]): Promise<OwnerChange> {
    const lane = this.#laneOf(address);
    this.#parking.set(turnId, lane);
    lane.parkedUntil ??= this.#clock.after(MAX_PARKED_MS, () => this.#unpark(lane));
    return new Promise((resolve, reject) => lane.parked.push({ change, resolve, reject }));
  }

  /** Called when the turn ends in this process, in any way. */
  release(turnId: string): void {
    const lane = this.#parking.get(turnId);
    if (lane === undefined) return;
    this.#parking.delete(turnId);
    this.#unpark(lane);
  }

  /** Called once all effects of a batch are published, so that the next write may remove it. */
  markPublished(address: OwnerAddress, turnId: string): void {
    this.#laneOf(address).published.add(turnId);
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
    // Subtasks whose ends were stored in one transaction arrive in one pass of the event loop: collect them.
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
    let changes: OwnerChange[] = [];
    const applyAll = (original: OwnerRecord): OwnerRecord => {
      let record = original;
      changes = jobs.map(({ change }) => {
        const before = record;
        record = change(before);
        return { before, after: record };
      });
      return record === original ? original : withoutOld(record, this.#clock.now(), lane.published);
    };
    const options = { initial: emptyOwner, known: lane.known, cache: ownersRead };
    const { outcome, after, revision } = await update(this.#store, ownerKey(lane.address), applyAll, options);
    lane.known = revision === 0 ? undefined : { value: after, revision };
    if (outcome === "written") {
      for (const turnId of lane.published) if (!(turnId in after.batches)) lane.published.delete(turnId);
    }
    return changes;
  }

  #laneOf(address: OwnerAddress): Lane {
    const name = ownerKey(address).spelled;
    const lane = this.#lanes.get(name) ?? newLane(address);
    this.#lanes.delete(name);
    this.#lanes.set(name, lane);
    if (this.#lanes.size > MAX_LANES) this.#dropOldest();
    return lane;
  }

  /** A busy lane must stay, or two lanes would write the same record. */
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
  published: new Set(),
});

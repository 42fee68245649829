import { messageOf, RevisionConflict } from "../contract/app-error.ts";
import type { AgentRef } from "../contract/messages/addresses.ts";
import { subjectsOf } from "../contract/messages/subjects.ts";
import type { Bus, Listener } from "../contract/ports/bus.ts";
import type { Clock, Timer } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import { type DueIndex, type DueTime, hourOf } from "./due-index.ts";

const HOUR_MS = 3_600_000;
/** Due times within this period are in memory. */
const AHEAD_MS = HOUR_MS;
/** Interval of the check that covers lost signals and clock changes. */
const CHECK_EVERY_MS = 60_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 5_000;
const PUBLISH_BATCH = 64;

interface DueWatchDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dueTimes: DueIndex;
  /** Publishes a due time durably. Must be idempotent, because every process publishes it. */
  readonly publish: (due: DueTime) => Promise<void>;
  /** Runs once, before the first read, as soon as the store is available. */
  readonly prepare: () => Promise<void>;
}

interface Pending {
  readonly at: number;
  readonly key: string;
  readonly due: DueTime;
}

/** Publishes the due times of an agent's schedules, with one timer for all of them. */
export class DueWatch {
  readonly #deps: DueWatchDeps;
  readonly #ref: AgentRef;
  readonly #heap = new DueHeap<Pending>();
  /** The hours in memory, with the revision and the entries that were read. */
  readonly #hours = new Map<string, { revision: number; seen: Set<string> }>();
  #listener: Listener | undefined;
  #timer: Timer | undefined;
  #work: Promise<void> = Promise.resolve();
  #isPrepared = false;
  #checkAt = 0;
  #failures = 0;
  /** Backoff after a failure of the store or the bus; monotonic time. */
  #retryAt = 0;
  #stopped = false;

  constructor(deps: DueWatchDeps, { tenant, agent }: AgentRef) {
    this.#deps = deps;
    this.#ref = { tenant, agent };
  }

  async start(): Promise<void> {
    const { bus } = this.#deps;
    const { tenant, agent } = this.#ref;
    this.#listener = await bus.listen(subjectsOf(tenant).scheduleDueAdded(agent), ({ owner, id, dueAt }) => {
      this.#add({ schedule: { ...this.#ref, owner, id }, dueAt });
      this.#arm();
    });
    this.#work = this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#listener?.close();
    this.#timer?.cancel();
    await this.#work;
  }

  #add(due: DueTime): void {
    const at = Date.parse(due.dueAt);
    const hour = this.#hours.get(hourOf(at));
    // A later hour is read when it comes within AHEAD_MS.
    if (hour === undefined && at > this.#deps.clock.now() + AHEAD_MS) return;
    const key = `${due.schedule.owner} ${due.schedule.id} ${due.dueAt}`;
    if (hour?.seen.has(key)) return;
    hour?.seen.add(key);
    this.#heap.add({ at, key, due });
  }

  /** Sets the timer to the next due time, the next check or the retry, whichever comes first. */
  #arm(): void {
    if (this.#stopped) return;
    const { clock } = this.#deps;
    const next = this.#heap.first?.at ?? Number.POSITIVE_INFINITY;
    const nextMs = Math.min(next - clock.now(), this.#checkAt - clock.monotonic(), CHECK_EVERY_MS);
    const waitMs = Math.max(0, nextMs, this.#retryAt - clock.monotonic());
    this.#timer?.cancel();
    this.#timer = clock.after(waitMs, () => {
      this.#work = this.#work.then(() => this.#wake());
    });
  }

  async #wake(): Promise<void> {
    if (this.#stopped) return;
    const { clock, logger, prepare } = this.#deps;
    try {
      if (!this.#isPrepared) await prepare();
      this.#isPrepared = true;
      if (clock.monotonic() >= this.#checkAt) {
        await this.#check();
        this.#checkAt = clock.monotonic() + CHECK_EVERY_MS;
      }
      await this.#publishDue();
      if (this.#failures > 0)
        logger.info({ ...this.#ref, failures: this.#failures }, "due schedules are read and published again");
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0) {
        logger.warn({ ...this.#ref, error: messageOf(error) }, "could not read or publish due schedules, retrying");
      }
      const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.#failures++, 10), MAX_RETRY_MS);
      this.#retryAt = clock.monotonic() + pauseMs * (0.5 + Math.random() / 2);
    }
    this.#arm();
  }

  async #publishDue(): Promise<void> {
    const { clock, publish } = this.#deps;
    const now = clock.now();
    while (!this.#stopped && (this.#heap.first?.at ?? Number.POSITIVE_INFINITY) <= now) {
      const batch: Pending[] = [];
      while (batch.length < PUBLISH_BATCH && (this.#heap.first?.at ?? Number.POSITIVE_INFINITY) <= now) {
        batch.push(this.#heap.take() as Pending);
      }
      const results = await Promise.allSettled(batch.map(({ due }) => publish(due)));
      const failed = batch.filter((_, index) => results[index]?.status === "rejected");
      for (const pending of failed) this.#heap.add(pending);
      const reason = results.find((result) => result.status === "rejected")?.reason;
      if (reason !== undefined) throw reason;
    }
  }

  /** Reads the upcoming hours and those that have changed since the last read. */
  async #check(): Promise<void> {
    const { clock, dueTimes } = this.#deps;
    const until = hourOf(clock.now() + AHEAD_MS);
    // Lists all hours at the start and then once an hour; in between it checks only those in memory.
    const near = this.#hours.has(until) ? [] : (await dueTimes.hours(this.#ref)).filter((hour) => hour < until);
    for (const hour of new Set([...near, ...this.#hours.keys(), hourOf(clock.now()), until])) {
      const revision = await dueTimes.revisionOf(this.#ref, hour);
      if (this.#hours.get(hour)?.revision !== revision) await this.#read(hour, revision);
      else if (hour < hourOf(clock.now() - HOUR_MS)) await this.#drop(hour, revision);
    }
  }

  async #read(hour: string, revision: number): Promise<void> {
    const known = this.#hours.get(hour) ?? { revision: -1, seen: new Set<string>() };
    this.#hours.set(hour, known);
    for await (const due of this.#deps.dueTimes.in(this.#ref, hour)) this.#add(due);
    this.#hours.set(hour, { ...known, revision });
  }

  /** Drops a past hour once it has no entries left. */
  async #drop(hour: string, revision: number): Promise<void> {
    const { dueTimes } = this.#deps;
    for await (const _ of dueTimes.in(this.#ref, hour)) return;
    if (revision !== 0) await dueTimes.forget(this.#ref, hour, revision).catch(ignoreConflict);
    this.#hours.delete(hour);
  }
}

const ignoreConflict = (error: unknown): void => {
  if (!(error instanceof RevisionConflict)) throw error;
};

interface Timed {
  readonly at: number;
}

/** A binary heap; the earliest item comes first. */
class DueHeap<T extends Timed> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    const items = this.#items;
    let index = items.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((items[parent] as T).at <= item.at) break;
      items[index] = items[parent] as T;
      index = parent;
    }
    items[index] = item;
  }

  /** Removes and returns the first item. */
  take(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && (items[child + 1] as T).at < (items[child] as T).at) child++;
      if ((items[child] as T).at >= last.at) break;
      items[index] = items[child] as T;
      index = child;
    }
    items[index] = last;
    return first;
  }
}

import { messageOf, RevisionConflict } from "../contract/app-error.ts";
import type { Bus, Listener } from "../contract/bus.ts";
import type { Clock, Timer } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";
import { subjectsOf } from "../contract/subjects.ts";
import { DueHeap } from "./due-heap.ts";
import type { AgentPlace, DueIndex, DueTime } from "./due-index.ts";
import { hourOf } from "./due-index.ts";

const HOUR_MS = 3_600_000;
/** What is due within this time is in memory. */
const AHEAD_MS = HOUR_MS;
/** Signals may be lost and clocks may be set: at the latest then it looks again. */
const LOOK_AGAIN_MS = 60_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 5_000;
const AT_ONCE = 64;

export interface DueWatchDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dueTimes: DueIndex;
  /** Tells, durably, that a time has come. Telling it again must do no harm: every process tells it. */
  readonly tell: (due: DueTime) => Promise<void>;
  /** What is done first, as soon as the store is there. */
  readonly prepare: () => Promise<void>;
}

interface Pending {
  readonly at: number;
  readonly key: string;
  readonly due: DueTime;
}

/** Waits for the next due time of an agent's schedules. One timer, however many there are. */
export class DueWatch {
  readonly #parts: DueWatchDeps;
  readonly #place: AgentPlace;
  readonly #heap = new DueHeap<Pending>();
  /** Hours that are in memory: the revision they were read at, and what was seen in them. */
  readonly #hours = new Map<string, { revision: number; seen: Set<string> }>();
  #listener: Listener | undefined;
  #timer: Timer | undefined;
  #work: Promise<void> = Promise.resolve();
  #isPrepared = false;
  #lookAt = 0;
  #failures = 0;
  /** Nothing is tried before, whatever is due: the store or the bus has just failed. Monotonic. */
  #retryAt = 0;
  #stopped = false;

  constructor(parts: DueWatchDeps, { tenant, agent }: AgentPlace) {
    this.#parts = parts;
    this.#place = { tenant, agent };
  }

  async start(): Promise<void> {
    const { bus } = this.#parts;
    const { tenant, agent } = this.#place;
    this.#listener = await bus.listen(subjectsOf(tenant).scheduleDueAdded(agent), ({ owner, id, dueAt }) => {
      this.#add({ schedule: { ...this.#place, owner, id }, dueAt });
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
    // An hour that is not in memory yet is read when its time comes nearer.
    if (hour === undefined && at > this.#parts.clock.now() + AHEAD_MS) return;
    const key = `${due.schedule.owner} ${due.schedule.id} ${due.dueAt}`;
    if (hour?.seen.has(key)) return;
    hour?.seen.add(key);
    this.#heap.add({ at, key, due });
  }

  /** Sets the one timer: to the next due time or the next look, or to the retry after a failure. */
  #arm(): void {
    if (this.#stopped) return;
    const { clock } = this.#parts;
    const next = this.#heap.first?.at ?? Number.POSITIVE_INFINITY;
    const wantedMs = Math.min(next - clock.now(), this.#lookAt - clock.monotonic(), LOOK_AGAIN_MS);
    const waitMs = Math.max(0, wantedMs, this.#retryAt - clock.monotonic());
    this.#timer?.cancel();
    this.#timer = clock.after(waitMs, () => {
      this.#work = this.#work.then(() => this.#wake());
    });
  }

  async #wake(): Promise<void> {
    if (this.#stopped) return;
    const { clock, logger, prepare } = this.#parts;
    try {
      if (!this.#isPrepared) await prepare();
      this.#isPrepared = true;
      if (clock.monotonic() >= this.#lookAt) {
        await this.#look();
        this.#lookAt = clock.monotonic() + LOOK_AGAIN_MS;
      }
      await this.#tellDue();
      if (this.#failures > 0) logger.info({ ...this.#place, failures: this.#failures }, "due schedules are read again");
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0) {
        logger.warn({ ...this.#place, error: messageOf(error) }, "could not read or publish due schedules, retrying");
      }
      const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.#failures++, 10), MAX_RETRY_MS);
      this.#retryAt = clock.monotonic() + pauseMs * (0.5 + Math.random() / 2);
    }
    this.#arm();
  }

  async #tellDue(): Promise<void> {
    const { clock, tell } = this.#parts;
    const now = clock.now();
    while (!this.#stopped && (this.#heap.first?.at ?? Number.POSITIVE_INFINITY) <= now) {
      const batch: Pending[] = [];
      while (batch.length < AT_ONCE && (this.#heap.first?.at ?? Number.POSITIVE_INFINITY) <= now) {
        batch.push(this.#heap.take() as Pending);
      }
      const told = await Promise.allSettled(batch.map(({ due }) => tell(due)));
      const failed = batch.filter((_, index) => told[index]?.status === "rejected");
      for (const pending of failed) this.#heap.add(pending);
      const reason = told.find((result) => result.status === "rejected")?.reason;
      if (reason !== undefined) throw reason;
    }
  }

  /** Reads the hours that have come near, and those that have changed since they were read. */
  async #look(): Promise<void> {
    const { clock, dueTimes } = this.#parts;
    const until = hourOf(clock.now() + AHEAD_MS);
    // All hours are listed at first, and then once an hour; in between, those in memory are looked at one by one.
    const near = this.#hours.has(until) ? [] : (await dueTimes.hours(this.#place)).filter((hour) => hour < until);
    for (const hour of new Set([...near, ...this.#hours.keys(), hourOf(clock.now()), until])) {
      const revision = await dueTimes.revisionOf(this.#place, hour);
      if (this.#hours.get(hour)?.revision !== revision) await this.#read(hour, revision);
      else if (hour < hourOf(clock.now() - HOUR_MS)) await this.#letGo(hour, revision);
    }
  }

  async #read(hour: string, revision: number): Promise<void> {
    const known = this.#hours.get(hour) ?? { revision: -1, seen: new Set<string>() };
    this.#hours.set(hour, known);
    for await (const due of this.#parts.dueTimes.in(this.#place, hour)) this.#add(due);
    this.#hours.set(hour, { ...known, revision });
  }

  /** An hour that has passed is forgotten once all that was due in it has moved on. */
  async #letGo(hour: string, revision: number): Promise<void> {
    const { dueTimes } = this.#parts;
    for await (const _ of dueTimes.in(this.#place, hour)) return;
    if (revision !== 0) await dueTimes.forget(this.#place, hour, revision).catch(ignoreConflict);
    this.#hours.delete(hour);
  }
}

const ignoreConflict = (error: unknown): void => {
  if (!(error instanceof RevisionConflict)) throw error;
};

import { z } from "zod";
import { messageOf } from "../../core/contract/app-error.ts";
import { type Clock, isoTime, type Timer } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { collection, keyOf, prefixOf, type Store } from "../../core/contract/ports/store.ts";
import type { Labels, Meter } from "../../core/contract/ports/telemetry.ts";

/** The counts of one process in one hour, for the overview of operators: numbers and names, no text. */
const HourRecord = z.looseObject({
  /** The beginning of the hour. */
  hour: z.iso.datetime(),
  /** The last write. */
  at: z.iso.datetime(),
  /** By series and by the channel or agent that it is about, such as "messages/slack". */
  counts: z.record(z.string(), z.number()),
});
export type HourRecord = z.infer<typeof HourRecord>;

const HOUR_MS = 3_600_000;
/** A week, and the hour that has begun before it. */
const TTL_MS = 8 * 24 * HOUR_MS;
const hourCounts = collection("hour-counts", HourRecord, { ttlMs: TTL_MS });
export const allHourCounts = () => prefixOf(hourCounts);

const WRITE_EVERY_MS = 10_000;
/** Numbers of messages that wait, if they were written longer ago, are those of a process that has stopped. */
export const WAITING_TTL_MS = 3 * WRITE_EVERY_MS;

export type Series =
  | "messages"
  | "refused"
  | "undelivered"
  | "retries"
  | "cost"
  | "waiting"
  | "delivery-seconds"
  | "deliveries"
  | "turn-seconds"
  | "turns"
  | `turns-${string}`
  | `feedback-${string}`;

interface CountedSeries {
  /** The label that it is about. */
  readonly of: string;
  readonly series: (labels: Labels) => Series;
  /** The counter lowers the series. */
  readonly isTakenBack?: boolean;
}

const COUNTERS: Readonly<Record<string, CountedSeries>> = {
  messages_accepted_total: { of: "channel", series: () => "messages" },
  messages_refused_total: { of: "channel", series: () => "refused" },
  delivery_dead_letters_total: { of: "channel", series: () => "undelivered" },
  delivery_retries_total: { of: "channel", series: () => "retries" },
  turns_total: { of: "agent", series: ({ outcome }) => `turns-${outcome}` },
  budget_cost_total: { of: "agent", series: () => "cost" },
  feedback_total: { of: "agent", series: ({ rating }) => `feedback-${rating}` },
  feedback_withdrawn_total: { of: "agent", series: ({ rating }) => `feedback-${rating}`, isTakenBack: true },
};

const DURATIONS: Readonly<Record<string, { readonly of: string; readonly sum: Series; readonly count: Series }>> = {
  delivery_latency_seconds: { of: "channel", sum: "delivery-seconds", count: "deliveries" },
  turn_seconds: { of: "agent", sum: "turn-seconds", count: "turns" },
};

interface HourCountsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Identifies this run of the process. */
  readonly instance: string;
  /** Messages that wait in this process, by agent. */
  readonly waiting: () => ReadonlyMap<string, number>;
}

/** Adds up what this process counts, and stores it every few seconds. A crash loses the counts since the last write. */
export class HourCounts {
  #deps: HourCountsDeps | undefined;
  readonly #hours = new Map<number, Map<string, number>>();
  readonly #clock: Clock;
  #isChanged = false;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Wraps a meter so that its values also count here. */
  metered(meter: Meter): Meter {
    return {
      count: (name, labels = {}, by = 1) => {
        const counter = COUNTERS[name];
        if (counter) this.#add(counter.series(labels), labels[counter.of], counter.isTakenBack ? -by : by);
        meter.count(name, labels, by);
      },
      observe: (name, value, labels = {}) => {
        const duration = DURATIONS[name];
        if (duration) {
          this.#add(duration.sum, labels[duration.of], value);
          this.#add(duration.count, labels[duration.of], 1);
        }
        meter.observe(name, value, labels);
      },
      gauge: (name, value, labels) => meter.gauge(name, value, labels),
    };
  }

  start(deps: HourCountsDeps): void {
    this.#deps = deps;
    this.#writeLater();
  }

  /** Stores the last counts. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#write();
    this.#deps = undefined;
  }

  #add(series: Series, of: string | undefined, by: number): void {
    if (of === undefined) return;
    const hour = this.#ofHour(this.#clock.now());
    const name = `${series}/${of}`;
    hour.set(name, (hour.get(name) ?? 0) + by);
    this.#isChanged = true;
  }

  #ofHour(now: number): Map<string, number> {
    const start = now - (now % HOUR_MS);
    const known = this.#hours.get(start) ?? new Map<string, number>();
    this.#hours.set(start, known);
    return known;
  }

  #noteWaiting(waiting: ReadonlyMap<string, number>): void {
    const hour = this.#ofHour(this.#clock.now());
    for (const [agent, count] of waiting) {
      const name = `waiting/${agent}`;
      // Messages that wait are reported again and again: the number of a process that has crashed becomes outdated.
      if (count === 0 && (hour.get(name) ?? 0) === 0) continue;
      hour.set(name, count);
      this.#isChanged = true;
    }
  }

  #writeLater(): void {
    this.#timer = this.#clock.after(WRITE_EVERY_MS, () => {
      void this.#write().finally(() => {
        if (this.#deps !== undefined) this.#writeLater();
      });
    });
  }

  async #write(): Promise<void> {
    if (this.#deps === undefined) return;
    const { store, logger, instance, waiting } = this.#deps;
    this.#noteWaiting(waiting());
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const now = this.#clock.now();
    try {
      for (const [start, counts] of this.#hours) {
        const hour = isoTime(start);
        const record = { hour, at: isoTime(now), counts: Object.fromEntries(counts) };
        await store.put(keyOf(hourCounts, hour, instance), record);
        if (start + HOUR_MS <= now) this.#hours.delete(start);
      }
    } catch (error) {
      this.#isChanged = true;
      logger.debug({ error: messageOf(error) }, "could not store the counts of this hour, retrying");
    }
  }
}

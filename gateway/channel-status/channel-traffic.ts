import type { Clock } from "../../core/contract/ports/clock.ts";
import { isoTime } from "../../core/contract/ports/clock.ts";
import type { Labels, Meter } from "../../core/contract/ports/telemetry.ts";
import type { ChannelError } from "./channel-record.ts";

const MAX_ERRORS = 20;

/** The traffic and errors of a channel in this process since the last report. */
export class ChannelTraffic {
  readonly #clock: Clock;
  lastInAt: string | undefined;
  lastOutAt: string | undefined;
  /** Newest first. */
  errors: readonly ChannelError[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Wraps a meter so that its counters also update the traffic. */
  metered(meter: Meter): Meter {
    return {
      count: (name, labels, by) => {
        this.#note(name, labels);
        meter.count(name, labels, by);
      },
      observe: (name, value, labels) => meter.observe(name, value, labels),
      gauge: (name, value, labels) => meter.gauge(name, value, labels),
    };
  }

  noteError(what: ChannelError["what"], reason: string): void {
    this.errors = withErrors(this.errors, [{ at: this.#now(), what, reason, count: 1 }]);
  }

  /** Returns the traffic for a report, and resets it. */
  take(): Pick<ChannelTraffic, "lastInAt" | "lastOutAt" | "errors"> {
    const { lastInAt, lastOutAt, errors } = this;
    this.lastInAt = undefined;
    this.lastOutAt = undefined;
    this.errors = [];
    return { lastInAt, lastOutAt, errors };
  }

  #note(name: string, { outcome = "" }: Labels = {}): void {
    if (name === "messages_accepted_total") this.lastInAt = this.#now();
    else if (name === "messages_refused_total") this.noteError("intake", "a message was refused, see the log");
    else if (name === "deliveries_total" && outcome.startsWith("accepted")) this.lastOutAt = this.#now();
    else if (name === "deliveries_total" && outcome !== "withheld") this.noteError("delivery", outcome);
  }

  #now(): string {
    return isoTime(this.#clock.now());
  }
}

/** Prepends newer errors; consecutive equal errors become one with a count. */
export const withErrors = (known: readonly ChannelError[], newer: readonly ChannelError[]): ChannelError[] => {
  const all = [...known];
  for (const error of newer.toReversed()) {
    const [latest] = all;
    const isSame = latest?.what === error.what && latest.reason === error.reason;
    if (isSame) all[0] = { ...error, count: latest.count + error.count };
    else all.unshift(error);
  }
  return all.slice(0, MAX_ERRORS);
};

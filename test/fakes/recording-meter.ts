import type { Labels, Meter } from "../../core/contract/ports/telemetry.ts";

/** Counts and gauges by name and label values; an observed value counts as one. */
export class RecordingMeter implements Meter {
  readonly counts: Record<string, number> = {};
  readonly gauges: Record<string, number> = {};

  count(name: string, labels: Labels = {}, by = 1): void {
    const spelled = [name, ...Object.values(labels)].join(" ");
    this.counts[spelled] = (this.counts[spelled] ?? 0) + by;
  }

  observe(name: string, _value: number, labels?: Labels): void {
    this.count(name, labels);
  }

  gauge(name: string, value: number, labels: Labels = {}): void {
    this.gauges[[name, ...Object.values(labels)].join(" ")] = value;
  }
}

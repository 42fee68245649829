import type { Labels, Meter } from "../../core/contract/ports/telemetry.ts";

/** Records counters and observed values. */
export class CountingMeter implements Meter {
  readonly counts = new Map<string, number>();
  readonly observed = new Map<string, number[]>();

  count(name: string, labels: Labels = {}, by = 1): void {
    const spelled = spell(name, labels);
    this.counts.set(spelled, (this.counts.get(spelled) ?? 0) + by);
  }

  observe(name: string, value: number, labels: Labels = {}): void {
    const spelled = spell(name, labels);
    this.observed.set(spelled, [...(this.observed.get(spelled) ?? []), value]);
  }

  gauge(): void {}
}

const spell = (name: string, labels: Labels): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(",")}}`;

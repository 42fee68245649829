import { expect } from "vitest";
import type { Handler } from "../../../../../core/contract/ports/bus.ts";

/** Records the runs of handlers. */
export class Journal {
  readonly runs: { key: string; n: number; by: string }[] = [];
  readonly #running = new Set<string>();
  readonly overlaps: string[] = [];

  /** Messages are `{ n }` with ids `<key>/<n>`. */
  handler(by: string, work: () => Promise<unknown> = async () => undefined): Handler<{ n: number }> {
    return async ({ n }, { id }) => {
      const key = id.split("/")[0] ?? "";
      if (this.#running.has(key)) this.overlaps.push(`${id} by ${by}`);
      this.#running.add(key);
      this.runs.push({ key, n, by });
      await work();
      this.#running.delete(key);
      return { ack: true };
    };
  }

  by(name: string): number {
    return this.runs.filter(({ by }) => by === name).length;
  }

  get distinct(): number {
    return new Set(this.runs.map(({ key, n }) => `${key}/${n}`)).size;
  }

  get repeats(): number {
    return this.runs.length - this.distinct;
  }

  /** First runs of a key are in the order of publication; a retry repeats only messages that were not acknowledged. */
  expectOrder(): void {
    const highest = new Map<string, number>();
    for (const { key, n } of this.runs) {
      const before = highest.get(key) ?? -1;
      expect(n, `${key}: ${n} after ${before}`).toBeLessThanOrEqual(before + 1);
      highest.set(key, Math.max(before, n));
    }
    expect(this.overlaps).toEqual([]);
  }
}

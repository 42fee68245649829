import type { Meter } from "../contract/meter.ts";

/** How many subtasks of each agent this process works on. */
export class RunningGauge {
  readonly #meter: Meter;
  readonly #running = new Map<string, number>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  add(agent: string, by: number): void {
    const running = (this.#running.get(agent) ?? 0) + by;
    this.#running.set(agent, running);
    this.#meter.gauge("subtasks_running", running, { agent });
  }
}

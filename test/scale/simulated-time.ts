import type { Timer } from "../../core/contract/ports/clock.ts";

interface Event {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** Time that jumps from one event to the next. All microtasks run between two events. */
export class SimulatedTime {
  /** A binary heap: the next event first; of two at the same time, the one that was added first. */
  readonly #events: Event[] = [];
  #order = 0;
  #now = 0;

  get now(): number {
    return this.#now;
  }

  at(moment: number, run: () => void): Timer {
    const event: Event = { at: Math.max(this.#now, moment), order: this.#order++, run };
    this.#events.push(event);
    this.#rise(this.#events.length - 1);
    return {
      cancel: () => {
        event.run = undefined;
      },
    };
  }

  async runUntil(moment: number): Promise<void> {
    for (let next = this.#events[0]; next !== undefined && next.at <= moment; next = this.#events[0]) {
      this.#removeFirst();
      if (next.run === undefined) continue;
      this.#now = next.at;
      next.run();
      await microtasksDone();
    }
    this.#now = moment;
  }

  #removeFirst(): void {
    const last = this.#events.pop() as Event;
    if (this.#events.length === 0) return;
    this.#events[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    for (let index = from; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(from: number): void {
    for (let index = from; ; ) {
      let first = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < this.#events.length && this.#isBefore(child, first)) first = child;
      }
      if (first === index) return;
      this.#swap(index, first);
      index = first;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#events[a] as Event, this.#events[b] as Event];
    return one.at < other.at || (one.at === other.at && one.order < other.order);
  }

  #swap(a: number, b: number): void {
    [this.#events[a], this.#events[b]] = [this.#events[b] as Event, this.#events[a] as Event];
  }
}

/** Resolves after all microtasks, including those that they add. */
const microtasksDone = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { QueuedMessage } from "../../../../../core/backbone/key-lanes.ts";
import { PartitionLog } from "../../../../../core/backbone/nats/partitions/held-partition.ts";
import {
  type ConsumerProgress,
  fittedTo,
  type PartitionRecord,
  released,
  reopened,
  takenOver,
} from "../../../../../core/backbone/nats/partitions/partition-record.ts";

const queued = (seq: number, suspect: boolean): QueuedMessage => ({
  seq,
  partition: 0,
  key: `k${seq}`,
  id: `m${seq}`,
  publishedAt: 0,
  suspect,
  read: () => "{}",
});

/** One partition on a server and its successive owners. Each sequence number has a message. */
class Simulation {
  readonly runs = new Map<number, number>();
  readonly finished = new Set<number>();
  readonly finishedTwice: number[] = [];
  readonly unsuspected: number[] = [];
  record: PartitionRecord | undefined;
  #log: PartitionLog | undefined;
  readonly #waiting = new Map<number, QueuedMessage>();
  #next = 1;
  #acked = new Set<number>();
  #delivered = 0;
  readonly #last: number;

  constructor(last: number) {
    this.#last = last;
  }

  get progress(): ConsumerProgress {
    let floor = (this.record?.from ?? 1) - 1;
    while (this.#acked.has(floor + 1)) floor++;
    return { floor, delivered: this.#delivered };
  }

  take(): void {
    if (this.#log) return;
    const progress = this.record?.owner ? this.progress : undefined;
    this.record = fittedTo(takenOver(this.record, progress, "owner", 1), this.#last);
    this.#log = new PartitionLog(this.record);
    this.#newConsumer();
  }

  reconnect(): void {
    if (!this.#log || !this.record) return;
    this.record = reopened(this.record, this.#log.progress());
    this.#newConsumer();
  }

  release(): void {
    if (!this.#log || !this.record) return;
    this.record = released(this.record, this.#log.progress());
    this.#forget();
  }

  crash(): void {
    if (this.#log) this.#forget();
  }

  deliver(): void {
    if (!this.#log || this.#next > this.#last) return;
    const seq = this.#next++;
    this.#delivered = Math.max(this.#delivered, seq);
    const { as, message } = this.#log.arrived(seq, `ack.${seq}`, () =>
      queued(seq, this.#log?.mayHaveRun(seq) ?? false),
    );
    if (as === "ended") this.#acked.add(seq);
    if (message) this.#waiting.set(seq, message);
  }

  /** Starts the waiting message with this index; ends it, or leaves it for a retry. */
  run(which: number, ends: boolean, ackLost: boolean): void {
    const message = [...this.#waiting.values()][which % Math.max(1, this.#waiting.size)];
    if (!message || !this.#log) return;
    const { seq } = message;
    if (this.runs.has(seq) && !message.suspect && !this.#ranHere.has(seq)) this.unsuspected.push(seq);
    this.#ranHere.add(seq);
    this.#log.started(message);
    this.runs.set(seq, (this.runs.get(seq) ?? 0) + 1);
    if (!ends) return;
    if (this.finished.has(seq)) this.finishedTwice.push(seq);
    this.finished.add(seq);
    this.#waiting.delete(seq);
    if (this.#log.ended(message) !== undefined && !ackLost) this.#acked.add(seq);
  }
  readonly #ranHere = new Set<number>();

  drain(): void {
    this.take();
    for (let step = 0; step <= this.#last; step++) this.deliver();
    while (this.#waiting.size > 0) this.run(0, true, false);
  }

  #newConsumer(): void {
    this.#next = this.record?.from ?? 1;
    this.#acked = new Set();
    this.#delivered = 0;
  }

  #forget(): void {
    this.#log = undefined;
    this.#waiting.clear();
    this.#ranHere.clear();
  }
}

const graceful = fc.oneof(
  fc.constant({ do: "take" as const }),
  fc.constant({ do: "reconnect" as const }),
  fc.constant({ do: "release" as const }),
  { weight: 4, arbitrary: fc.constant({ do: "deliver" as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("run" as const),
      which: fc.nat(9),
      ends: fc.boolean(),
      ackLost: fc.boolean(),
    }),
  },
);
const rough = fc.oneof({ weight: 9, arbitrary: graceful }, fc.constant({ do: "crash" as const }));

const play = (steps: readonly ({ do: string } & Partial<{ which: number; ends: boolean; ackLost: boolean }>)[]) => {
  const simulation = new Simulation(30);
  for (const step of steps) {
    if (step.do === "run") simulation.run(step.which ?? 0, step.ends ?? true, step.ackLost ?? false);
    else simulation[step.do as "take" | "reconnect" | "release" | "deliver" | "crash"]();
  }
  simulation.drain();
  return simulation;
};

describe("given a partition that changes owners", () => {
  it("when owners crash, release or reconnect in any order, then each message ends, and one that may have run is suspect", () => {
    fc.assert(
      fc.property(fc.array(rough, { maxLength: 120, size: "max" }), (steps) => {
        const { finished, unsuspected } = play(steps);
        expect(finished.size).toBe(30);
        expect(unsuspected).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("when no owner crashes, then no message ends twice, even if all acknowledgements are lost", () => {
    fc.assert(
      fc.property(fc.array(graceful, { maxLength: 120, size: "max" }), (steps) => {
        expect(play(steps).finishedTwice).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("when many messages end behind a stuck one, then the record stays small and no message ends twice", () => {
    const log = new PartitionLog(takenOver(undefined, undefined, "me", 1));
    for (let seq = 1; seq <= 200_000; seq++) {
      const { message } = log.arrived(seq, "ack", () => queued(seq, false));
      if (message && seq !== 1) log.ended(message);
    }
    const record = released(takenOver(undefined, undefined, "me", 1), log.progress());
    expect(JSON.stringify(record).length).toBeLessThan(1_000);
    const next = new PartitionLog(takenOver(record, undefined, "you", 1));
    const arrivals = [1, 2, 200_000, 200_001].map((seq) => next.arrived(seq, "ack", () => queued(seq, false)).as);
    expect(arrivals).toEqual(["new", "ended", "ended", "new"]);
  });

  it("when the stream was replaced, then it is read from its beginning", () => {
    const before = takenOver(undefined, undefined, "me", 900);
    expect(fittedTo(before, 10)).toMatchObject({ from: 1 });
    expect(fittedTo(before, 899)).toBe(before);
  });
});

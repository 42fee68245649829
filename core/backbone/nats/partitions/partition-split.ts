import type { QueuedMessage } from "../../key-lanes.ts";
import type { HeldPartition } from "./held-partition.ts";

type Matches = (message: QueuedMessage) => boolean;

interface PartitionSplitDeps {
  isRunning(matches: Matches): boolean;
  /** Drops waiting messages from the queue. */
  forget(matches: Matches): void;
  /** False after the partition was released or dropped. */
  isHeld(held: HeldPartition): boolean;
  /** Writes the record. False if this process no longer owns the partition. */
  write(held: HeldPartition): Promise<boolean>;
}

/**
 * Splits a partition that this process holds, after a raise of the number of partitions. Messages of keys that move wait
 * until the running ones of such keys have ended; all other keys go on.
 */
export class PartitionSplit {
  readonly #deps: PartitionSplitDeps;
  /** The splits that wait for running handlers, by partition. */
  readonly #waiting = new Map<number, () => void>();
  readonly #underWay = new Set<HeldPartition>();
  readonly #writing = new Set<HeldPartition>();

  constructor(deps: PartitionSplitDeps) {
    this.#deps = deps;
  }

  /** While true, the message must not start. */
  blocks({ key, id }: QueuedMessage, held: HeldPartition | undefined): boolean {
    return held?.splittingTo !== undefined && held.moves(key ?? id, held.splittingTo);
  }

  isUnderWay(held: HeldPartition): boolean {
    return this.#underWay.has(held);
  }

  /** The watch may deliver the own write before its answer arrives. */
  isWriting(held: HeldPartition): boolean {
    return this.#writing.has(held);
  }

  /**
   * False if this process no longer owns the partition. After an error the write may have been stored, so the keys stay
   * blocked: call again.
   */
  async split(held: HeldPartition, of: number): Promise<boolean> {
    const { forget, isHeld, isRunning, write } = this.#deps;
    const { partition } = held;
    const moves: Matches = (message) => message.partition === partition && held.moves(message.key ?? message.id, of);
    this.#underWay.add(held);
    held.splittingTo = of;
    try {
      while (isHeld(held) && isRunning(moves)) {
        await new Promise<void>((resolve) => this.#waiting.set(partition, resolve));
      }
      if (!isHeld(held)) return false;
      this.#writing.add(held);
      if (!(await write(held))) return false;
      forget(moves);
      held.dropMoved();
      held.splittingTo = undefined;
      return true;
    } finally {
      this.#underWay.delete(held);
      this.#writing.delete(held);
    }
  }

  /** Call when a handler of the partition has ended, and when the partition is no longer held. */
  settled(partition: number): void {
    this.#waiting.get(partition)?.();
    this.#waiting.delete(partition);
  }
}

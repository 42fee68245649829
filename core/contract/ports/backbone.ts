import type { Bus } from "./bus.ts";
import type { Store } from "./store.ts";
import type { Subject } from "./subject.ts";

export type BackboneHealth = { ok: true } | { ok: false; reason: string };

/** What one durable has in this process. */
export interface QueueDepth {
  readonly subject: string;
  readonly durable: string;
  readonly waiting: number;
  readonly running: number;
}

/** A durable without which accepted messages would wait unread. */
export interface RequiredReader {
  readonly subject: Subject<unknown>;
  readonly durable: string;
  /** For operators: `messages to agent "x"`. */
  readonly label: string;
}

/** A bus and a store that belong together. */
export interface Backbone {
  readonly bus: Bus;
  readonly store: Store;
  /** Not ok while what is published would not be stored, or would wait unread. Cheap, and without a request. */
  health(): BackboneHealth;
  /**
   * Why nothing can be stored, once that is certain; undefined while writes work. Cheap, and without a request. The
   * backbone probes by itself, so that no sender has to try.
   */
  writeProblem(): string | undefined;
  /** Bytes that are free on the disk of the data. Absent: not known, because another server has the data. */
  readonly freeBytes?: () => Promise<number>;
  /** For metrics: what is consumed here, and how much of it waits. */
  queues(): readonly QueueDepth[];
  /** Closes its consumers first, as Consumer.close does, then itself. What is asked of it afterwards rejects with "stopped". */
  close(): Promise<void>;
}

import { AppError } from "../app-error.ts";
import type { Bus, Listener } from "./bus.ts";
import type { Store } from "./store.ts";
import type { Subject } from "./subject.ts";

export type BackboneHealth = { ok: true } | { ok: false; reason: string };

/** Number of messages of one durable in this process. */
export interface QueueDepth {
  readonly subject: string;
  readonly durable: string;
  readonly waiting: number;
  readonly running: number;
}

/** A durable that must have a reader, because accepted messages wait in it. */
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
  /** Not ok while published messages would not be stored, or would have no reader. Cheap: sends no request. */
  health(): BackboneHealth;
  /**
   * Why writes fail, once that is certain; undefined while writes work. Cheap: sends no request. The backbone probes
   * periodically, so that no sender has to try.
   */
  writeProblem(): string | undefined;
  /**
   * Calls back at once when the connection or the writes fail and recover. Other changes of health(), such as a durable
   * without a reader, do not call back.
   */
  onHealthChange(listener: () => void): Listener;
  /** Free bytes on the disk of the data. Absent if another server stores the data. */
  readonly freeBytes?: () => Promise<number>;
  /** For metrics: the durables that this process consumes. */
  queues(): readonly QueueDepth[];
  /** Closes its consumers first, as Consumer.close does, then itself. Later calls reject with "stopped". */
  close(): Promise<void>;
}

/** Whether the backbone stores writes, by its own probe: no sender has to try. */
export interface WriteAvailability {
  /** Why writes fail, for operators; undefined while writes work. */
  readonly problem: string | undefined;
  /** The listener runs when writes stop working, and when they work again. */
  onChange(listener: () => void): Listener;
}

export const alwaysWritable: WriteAvailability = { problem: undefined, onChange: () => ({ close: () => undefined }) };

/** Refuses a sender while writes fail. The message is for senders; the cause is for operators. */
export class Unwritable extends AppError {
  constructor(problem: string) {
    super("unavailable", "nothing can be stored at the moment: send this again in a few seconds", { cause: problem });
  }
}

export const refuseIfUnwritable = ({ problem }: WriteAvailability): void => {
  if (problem !== undefined) throw new Unwritable(problem);
};

/** Resolves once writes work, or the signal aborts. */
export const whenWritable = (writes: WriteAvailability, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (writes.problem === undefined || signal?.aborted) return resolve();
    const end = () => {
      listener.close();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const listener = writes.onChange(() => writes.problem === undefined && end());
    signal?.addEventListener("abort", end);
  });

/**
 * Rejects with Unwritable before the work begins, and while it is under way, as soon as the outage is known. Work under
 * way continues and may still be stored: its sender must retry with the same id.
 */
export const unlessUnwritable = <R>(writes: WriteAvailability, work: () => Promise<R>): Promise<R> =>
  new Promise<R>((resolve, reject) => {
    refuseIfUnwritable(writes);
    const listener = writes.onChange(() => writes.problem !== undefined && reject(new Unwritable(writes.problem)));
    const ended = work();
    ended.then(resolve, reject);
    const close = () => listener.close();
    ended.then(close, close);
  });

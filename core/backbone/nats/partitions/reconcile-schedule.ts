import type { Clock, Timer } from "../../../contract/ports/clock.ts";
import type { Logger } from "../../../contract/ports/logger.ts";
import { Backoff } from "../connection/backoff.ts";

interface ReconcileScheduleDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  readonly random: () => number;
  /** Reconciles one group, or all. */
  reconcile(group?: string): void;
  /** Compares the watched copies with the server. */
  checkWatches(): Promise<void>;
}

/**
 * Reconciles partitions without an event: all of them three times per lease, so that a lost event or an unforeseen state
 * is repaired within two leases, and failed groups after a backoff. One timer each per process, however many partitions
 * fail.
 */
export class ReconcileSchedule {
  readonly #deps: ReconcileScheduleDeps;
  readonly #backoff: Backoff;
  readonly #failing = new Set<string>();
  #periodic: Timer | undefined;
  #retry: Timer | undefined;
  #closed = false;

  constructor(deps: ReconcileScheduleDeps) {
    this.#deps = deps;
    this.#backoff = new Backoff({
      ...deps,
      failing: "could not settle partitions, retrying",
      recovered: "partitions settled",
    });
  }

  /** Idempotent. */
  start(): void {
    if (this.#closed || this.#periodic) return;
    const { clock, leaseMs, random } = this.#deps;
    this.#periodic = clock.after((leaseMs / 3) * (0.8 + 0.4 * random()), () => void this.#check());
  }

  /** A group could not settle a partition. All failures before the retry count once. */
  failed(group: string, error: unknown, partition?: number): void {
    this.#failing.add(group);
    if (this.#closed || this.#retry) return;
    const pauseMs = this.#backoff.failed(error, { group, partition });
    this.#retry = this.#deps.clock.after(pauseMs, () => {
      this.#retry = undefined;
      for (const failing of [...this.#failing]) this.#deps.reconcile(failing);
    });
  }

  /** All partitions of the group match the assignment. */
  settled(group: string): void {
    this.#failing.delete(group);
    if (this.#failing.size > 0) return;
    this.#retry?.cancel();
    this.#retry = undefined;
    this.#backoff.succeeded();
  }

  close(): void {
    this.#closed = true;
    this.#periodic?.cancel();
    this.#retry?.cancel();
  }

  async #check(): Promise<void> {
    try {
      await this.#deps.checkWatches();
    } catch {
      // The requests of the groups report an unreachable server.
    }
    this.#periodic = undefined;
    if (this.#closed) return;
    this.#deps.reconcile();
    this.start();
  }
}

/** Runs the function for each item, at most `atOnce` in parallel. */
export const eachLimited = async <T>(
  items: readonly T[],
  atOnce: number,
  run: (item: T) => Promise<void>,
): Promise<void> => {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
};

/** One timer for the earliest of several times. */
export class EarliestTimer {
  readonly #clock: Clock;
  readonly #callback: () => void;
  #next: { readonly at: number; readonly timer: Timer } | undefined;
  #closed = false;

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock;
    this.#callback = callback;
  }

  in(ms: number): void {
    const at = this.#clock.monotonic() + ms;
    if (this.#closed || (this.#next && this.#next.at <= at)) return;
    this.#next?.timer.cancel();
    const timer = this.#clock.after(ms, () => {
      this.#next = undefined;
      this.#callback();
    });
    this.#next = { at, timer };
  }

  close(): void {
    this.#closed = true;
    this.#next?.timer.cancel();
  }
}

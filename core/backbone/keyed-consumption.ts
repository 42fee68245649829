import { AppError, messageOf } from "../contract/app-error.ts";
import type { QueueDepth } from "../contract/backbone.ts";
import type { ConsumeOptions, Handler, Outcome } from "../contract/bus.ts";
import { MAX_FAILURES } from "../contract/bus.ts";
import type { Clock, Timer } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";
import type { Store } from "../contract/store.ts";
import type { Subject } from "../contract/subject.ts";
import { AttemptCounts } from "./attempt-counts.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import { buryMessage } from "./bury-message.ts";
import type { Lane } from "./key-lanes.ts";
import { KeyLanes } from "./key-lanes.ts";
import type { QueuedMessage } from "./queued-message.ts";

export interface ConsumptionParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The message has ended: it must not come again. Rejects only if it may still come again. */
  acknowledge(message: QueuedMessage): Promise<void>;
  /** Asked just before a message would start: false leaves it in the queue. */
  mayStart(message: QueuedMessage): boolean;
  /** Called whenever a message has ended or was put back. */
  settled(message: QueuedMessage): void;
  /** The pause after a first failure; it doubles up to 30 s. */
  readonly failurePauseMs: number;
}

export type AttachOptions<T> = Pick<ConsumeOptions<T>, "concurrency" | "buried">;

interface Worker<T> {
  readonly concurrency: number;
  readonly handle: Handler<T>;
  readonly buried: ConsumeOptions<T>["buried"];
  running: number;
  closing?: () => void;
}

/** The message is a dead letter, for this reason. */
interface Verdict {
  readonly reason: string;
  readonly attempts: number;
}

/**
 * What both backbones do with the messages of one durable in one process: one at a time per key, in order, retries
 * included; counted attempts; dead letters. Where the messages come from is the backbone's business.
 */
export class KeyedConsumption<T> {
  readonly #subject: Subject<T>;
  readonly #durable: string;
  readonly #parts: ConsumptionParts;
  readonly #lanes = new KeyLanes();
  readonly #workers = new Set<Worker<T>>();
  readonly #running = new Set<QueuedMessage>();
  readonly #counts: AttemptCounts;
  readonly #verdicts = new WeakMap<QueuedMessage, Verdict>();
  readonly #outages = new WeakMap<QueuedMessage, number>();
  readonly #holds = new Map<Lane, Timer>();
  readonly #lost = new WeakSet<QueuedMessage>();
  #quarantine: Promise<void> = Promise.resolve();

  constructor(subject: Subject<T>, durable: string, parts: ConsumptionParts) {
    this.#subject = subject;
    this.#durable = durable;
    this.#parts = parts;
    this.#counts = new AttemptCounts({ ...parts, durable, subject: subject.name });
  }

  /** Adds a consumer to the shared work; the result detaches it, once its running handlers have ended. */
  attach({ concurrency, buried }: AttachOptions<T>, handle: Handler<T>): () => Promise<void> {
    const worker: Worker<T> = { concurrency, handle, buried, running: 0 };
    this.#workers.add(worker);
    this.#startWhatMay();
    let detached: Promise<void> | undefined;
    return () => {
      detached ??= this.#detach(worker);
      return detached;
    };
  }

  get hasWorkers(): boolean {
    return this.#workers.size > 0;
  }

  get depth(): QueueDepth {
    const running = this.#running.size;
    return {
      subject: this.#subject.name,
      durable: this.#durable,
      waiting: Math.max(0, this.#lanes.length - running),
      running,
    };
  }

  push(message: QueuedMessage): void {
    this.#lanes.add(message);
    this.#startWhatMay();
  }

  isRunning(matches: (message: QueuedMessage) => boolean): boolean {
    for (const message of this.#running) if (matches(message)) return true;
    return false;
  }

  /** Something that mayStart() depends on has changed. */
  wake(): void {
    this.#startWhatMay();
  }

  /** These will come again, here or elsewhere. What runs is left to end, but not run again. */
  forget(lost: (message: QueuedMessage) => boolean): void {
    for (const message of this.#running) if (lost(message)) this.#lost.add(message);
    for (const [lane, timer] of this.#holds) {
      const head = lane.waiting.first;
      if (head === undefined || !lost(head)) continue;
      timer.cancel();
      this.#holds.delete(lane);
      this.#counts.forget(head);
      lane.waiting.shift();
      this.#lanes.release(lane);
    }
    this.#lanes.forget(lost);
    this.#startWhatMay();
  }

  async #detach(worker: Worker<T>): Promise<void> {
    this.#workers.delete(worker);
    if (worker.running > 0) await new Promise<void>((resolve) => (worker.closing = resolve));
  }

  #startWhatMay(): void {
    for (const worker of this.#workers) {
      while (worker.running < worker.concurrency) {
        const lane = this.#lanes.take((head) => this.#parts.mayStart(head));
        if (lane === undefined) return;
        void this.#runHead(lane, worker);
      }
    }
  }

  async #runHead(lane: Lane, worker: Worker<T>): Promise<void> {
    const message = lane.waiting.first as QueuedMessage;
    worker.running++;
    this.#running.add(message);
    let pauseMs: number | undefined;
    try {
      pauseMs = await this.#attempt(message, worker);
    } catch (error) {
      // The store could not be read or written: nothing is known to be lost, so the message keeps its place.
      this.#parts.logger.warn({ durable: this.#durable, id: message.id, error: messageOf(error) }, "message kept back");
      pauseMs = this.#parts.failurePauseMs;
    }
    worker.running--;
    this.#running.delete(message);
    if (pauseMs === undefined || this.#lost.has(message)) this.#finish(lane, message);
    else this.#hold(lane, pauseMs);
    if (worker.running === 0) worker.closing?.();
    this.#parts.settled(message);
    this.#startWhatMay();
  }

  #finish(lane: Lane, message: QueuedMessage): void {
    this.#counts.forget(message);
    lane.waiting.shift();
    this.#lanes.release(lane);
  }

  #hold(lane: Lane, pauseMs: number): void {
    const timer = this.#parts.clock.after(pauseMs, () => {
      this.#holds.delete(lane);
      this.#lanes.release(lane);
      this.#startWhatMay();
    });
    this.#holds.set(lane, timer);
  }

  /** Runs the message once. Resolves to the pause before its next run, or to nothing if it has ended. */
  async #attempt(message: QueuedMessage, worker: Worker<T>): Promise<number | undefined> {
    const verdict = this.#verdicts.get(message);
    if (verdict) return this.#end(message, worker, verdict);
    const before = await this.#counts.before(message);
    if (before && before.failures >= MAX_FAILURES) {
      const reason = `${before.failures} runs ended without an outcome${lastWords(before)}`;
      return this.#end(message, worker, { reason, attempts: before.attempts });
    }
    const parsed = this.#parse(await message.read());
    const attempt = (before?.attempts ?? 0) + 1;
    if ("problem" in parsed) return this.#end(message, worker, { reason: parsed.problem, attempts: attempt });
    if (before === undefined) return this.#run(message, parsed.value, attempt, worker);
    const run = async () => {
      await this.#counts.begin(message, { attempts: attempt, failures: before.failures + 1 });
      return this.#run(message, parsed.value, attempt, worker);
    };
    // A run that has thrown did not kill its process: nothing need be afraid of it.
    const mayKill = before.failures >= QUARANTINE_FROM_FAILURES && before.lastError === undefined;
    return mayKill ? this.#alone(run) : run();
  }

  async #run(message: QueuedMessage, value: T, attempt: number, worker: Worker<T>): Promise<number | undefined> {
    let outcome: Outcome;
    try {
      outcome = await worker.handle(value, { id: message.id, attempt, publishedAt: message.publishedAt });
    } catch (error) {
      return isOutage(error) ? this.#waitOut(message, attempt, error) : this.#failed(message, attempt, worker, error);
    }
    this.#outages.delete(message);
    if ("ack" in outcome) return this.#end(message, worker);
    if ("deadLetter" in outcome) return this.#end(message, worker, { reason: outcome.deadLetter, attempts: attempt });
    await this.#counts.note(message, { attempts: attempt, failures: 0 });
    return Math.max(0, outcome.retryInMs);
  }

  async #failed(
    message: QueuedMessage,
    attempt: number,
    worker: Worker<T>,
    error: unknown,
  ): Promise<number | undefined> {
    const failures = Math.max(1, this.#counts.failuresOf(message));
    const lastError = messageOf(error).slice(0, 500);
    this.#parts.logger.error(
      { durable: this.#durable, id: message.id, attempt, failures, error: lastError },
      "handler failed",
    );
    await this.#counts.note(message, { attempts: attempt, failures, lastError });
    if (failures >= MAX_FAILURES) {
      const reason = `${failures} runs ended without an outcome; the last with: ${lastError}`;
      return this.#end(message, worker, { reason, attempts: attempt });
    }
    return Math.min(this.#parts.failurePauseMs * 2 ** (failures - 1), LONGEST_FAILURE_PAUSE_MS);
  }

  /** What the handler needs is away: no fault of the message, and no reason to run it as fast as it can fail. */
  #waitOut(message: QueuedMessage, attempt: number, error: unknown): number {
    const before = this.#outages.get(message) ?? 0;
    this.#outages.set(message, before + 1);
    this.#counts.pardon(message, attempt);
    this.#parts.logger.warn({ durable: this.#durable, id: message.id, attempt, error: messageOf(error) }, "put back");
    return Math.min(this.#parts.failurePauseMs * 2 ** before, LONGEST_OUTAGE_PAUSE_MS);
  }

  async #end(message: QueuedMessage, worker: Worker<T>, verdict?: Verdict): Promise<undefined> {
    if (verdict) await this.#bury(message, worker, verdict);
    await this.#parts.acknowledge(message);
    await this.#counts.drop(message);
    return undefined;
  }

  /** Once decided it stays so: if a step of this fails, the message is kept back, and its handler is not asked again. */
  async #bury(message: QueuedMessage, worker: Worker<T>, verdict: Verdict): Promise<void> {
    this.#verdicts.set(message, verdict);
    const raw = await message.read();
    const place = { subject: this.#subject.name, durable: this.#durable };
    const letter = await buryMessage(this.#parts, { ...place, message, raw, ...verdict });
    const parsed = this.#parse(raw);
    await worker.buried?.("value" in parsed ? parsed.value : undefined, letter);
  }

  #parse(raw: string): { value: T } | { problem: string } {
    try {
      const parsed = this.#subject.schema.safeParse(JSON.parse(raw));
      if (parsed.success) return { value: parsed.data };
      const issues = parsed.error.issues.map((issue) => `${issue.path.join(".") || "message"}: ${issue.message}`);
      return { problem: `does not parse as a message of ${this.#subject.family}: ${issues.join("; ")}` };
    } catch (error) {
      return { problem: `is no JSON: ${messageOf(error)}` };
    }
  }

  /** One at a time, so that the message that kills its process is found without taking its neighbours along. */
  #alone<R>(run: () => Promise<R>): Promise<R> {
    const result = this.#quarantine.then(run);
    this.#quarantine = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}

const QUARANTINE_FROM_FAILURES = 2;
const LONGEST_FAILURE_PAUSE_MS = 30_000;
const LONGEST_OUTAGE_PAUSE_MS = 5_000;

const lastWords = ({ lastError }: AttemptRecord): string => (lastError ? `; the last with: ${lastError}` : "");

const isOutage = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "unavailable" || error.code === "stopped");

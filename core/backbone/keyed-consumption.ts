import { messageOf } from "../contract/app-error.ts";
import type { QueueDepth } from "../contract/backbone.ts";
import type { Handler, Outcome } from "../contract/bus.ts";
import { MAX_FAILURES } from "../contract/bus.ts";
import type { Clock, Timer } from "../contract/clock.ts";
import { isoTime } from "../contract/clock.ts";
import { deadLetterKey } from "../contract/dead-letter.ts";
import type { Logger } from "../contract/logger.ts";
import type { Store } from "../contract/store.ts";
import type { Subject } from "../contract/subject.ts";
import { subjectName } from "../contract/subject.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import { attemptKey } from "./attempt-record.ts";
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

interface Worker<T> {
  readonly concurrency: number;
  readonly handle: Handler<T>;
  running: number;
  closing?: () => void;
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
  readonly #counts = new Map<QueuedMessage, AttemptRecord>();
  readonly #holds = new Map<Lane, Timer>();
  readonly #lost = new WeakSet<QueuedMessage>();
  #quarantine: Promise<void> = Promise.resolve();

  constructor(subject: Subject<T>, durable: string, parts: ConsumptionParts) {
    this.#subject = subject;
    this.#durable = durable;
    this.#parts = parts;
  }

  /** Adds a consumer to the shared work; the result detaches it, once its running handlers have ended. */
  attach(concurrency: number, handle: Handler<T>): () => Promise<void> {
    const worker: Worker<T> = { concurrency, handle, running: 0 };
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
      subject: subjectName(this.#subject),
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
      this.#counts.delete(head);
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
      pauseMs = await this.#attempt(message, worker.handle);
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
    this.#counts.delete(message);
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
  async #attempt(message: QueuedMessage, handle: Handler<T>): Promise<number | undefined> {
    const before = await this.#countsBefore(message);
    if (before && before.failures >= MAX_FAILURES) {
      return this.#end(
        message,
        `${before.failures} runs ended without an outcome${lastWords(before)}`,
        before.attempts,
      );
    }
    const raw = await message.read();
    const parsed = this.#parse(raw);
    if ("problem" in parsed) return this.#end(message, parsed.problem, (before?.attempts ?? 0) + 1, raw);
    if (before === undefined) return this.#run(message, parsed.value, 1, handle);
    const run = async () => {
      await this.#count(message, { ...before, attempts: before.attempts + 1, failures: before.failures + 1 });
      return this.#run(message, parsed.value, before.attempts + 1, handle);
    };
    return before.failures >= QUARANTINE_FROM_FAILURES ? this.#alone(run) : run();
  }

  async #run(message: QueuedMessage, value: T, attempt: number, handle: Handler<T>): Promise<number | undefined> {
    let outcome: Outcome;
    try {
      outcome = await handle(value, { id: message.id, attempt, publishedAt: message.publishedAt });
    } catch (error) {
      return this.#failed(message, attempt, error);
    }
    if ("ack" in outcome) return this.#end(message);
    if ("deadLetter" in outcome) return this.#end(message, outcome.deadLetter, attempt);
    await this.#count(message, { attempts: attempt, failures: 0 });
    return Math.max(0, outcome.retryInMs);
  }

  async #failed(message: QueuedMessage, attempt: number, error: unknown): Promise<number | undefined> {
    const failures = Math.max(1, this.#counts.get(message)?.failures ?? 1);
    const lastError = messageOf(error).slice(0, 500);
    this.#parts.logger.error(
      { durable: this.#durable, id: message.id, attempt, failures, error: lastError },
      "handler failed",
    );
    await this.#count(message, { attempts: attempt, failures, lastError });
    if (failures >= MAX_FAILURES) {
      return this.#end(message, `${failures} runs ended without an outcome; the last with: ${lastError}`, attempt);
    }
    return Math.min(this.#parts.failurePauseMs * 2 ** (failures - 1), LONGEST_FAILURE_PAUSE_MS);
  }

  async #end(message: QueuedMessage, deadReason?: string, attempts = 1, raw?: string): Promise<undefined> {
    if (deadReason !== undefined) await this.#bury(message, deadReason, attempts, raw ?? (await message.read()));
    await this.#parts.acknowledge(message);
    if (this.#counts.has(message)) await this.#dropCounts(message);
    return undefined;
  }

  /** The message has ended, so a failure here must not run it again: the record expires by itself. */
  async #dropCounts(message: QueuedMessage): Promise<void> {
    try {
      await this.#parts.store.delete(this.#attemptKey(message));
    } catch (error) {
      this.#parts.logger.debug(
        { durable: this.#durable, id: message.id, error: messageOf(error) },
        "counts not dropped",
      );
    }
  }

  async #bury(message: QueuedMessage, reason: string, attempts: number, raw: string): Promise<void> {
    const { logger, store, clock } = this.#parts;
    logger.error({ durable: this.#durable, id: message.id, attempts, reason }, "dead letter");
    await store.put(deadLetterKey(this.#durable, message.id), {
      subject: subjectName(this.#subject),
      durable: this.#durable,
      id: message.id,
      ...(message.key === undefined ? {} : { key: message.key }),
      message: jsonOrText(raw),
      reason: reason.slice(0, 2_000),
      attempts,
      publishedAt: isoTime(message.publishedAt),
      deadAt: isoTime(clock.now()),
    });
  }

  /** Nothing for a first run that is known to be the first: it costs no read and no write. */
  async #countsBefore(message: QueuedMessage): Promise<AttemptRecord | undefined> {
    const known = this.#counts.get(message);
    if (known || !message.suspect) return known;
    const stored = await this.#parts.store.get(this.#attemptKey(message));
    return stored?.value ?? { attempts: 1, failures: 0 };
  }

  async #count(message: QueuedMessage, record: AttemptRecord): Promise<void> {
    await this.#parts.store.put(this.#attemptKey(message), record);
    this.#counts.set(message, record);
  }

  #attemptKey(message: QueuedMessage) {
    return attemptKey(this.#durable, subjectName(this.#subject), message.id);
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

const lastWords = ({ lastError }: AttemptRecord): string => (lastError ? `; the last with: ${lastError}` : "");

const jsonOrText = (raw: string): unknown => {
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
};

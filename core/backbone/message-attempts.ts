import { AppError, messageOf } from "../contract/app-error.ts";
import {
  type ConsumeOptions,
  type Handler,
  MAX_FAILURES,
  type Outcome,
  type Received,
  type Wait,
} from "../contract/ports/bus.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Store } from "../contract/ports/store.ts";
import type { Subject } from "../contract/ports/subject.ts";
import { AttemptCounts, type AttemptRecord } from "./attempt-counts.ts";
import { newerFormat } from "./data-format.ts";
import { storeDeadLetter } from "./dead-letter.ts";
import type { QueuedMessage } from "./key-lanes.ts";

export interface AttemptDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Completes the message. Rejects only if it may still be redelivered. */
  acknowledge(message: QueuedMessage): Promise<void>;
  /** False once another process may handle the message. Called right before each run of its handler. */
  isOwned(message: QueuedMessage): boolean;
  /** The pause after a first failure; it doubles up to 30 s. */
  readonly failurePauseMs: number;
}

/** The callbacks of a consumer. */
export interface MessageWork<T> {
  readonly handle: Handler<T>;
  readonly onDeadLetter: ConsumeOptions<T>["onDeadLetter"];
}

/** Milliseconds, or a wait for a wake-up. */
export type Pause = number | Wait;

/** The decision that a message is a dead letter. */
interface DeadLetterDecision {
  readonly reason: string;
  readonly attempts: number;
}

/** Runs the messages of one durable, with counted attempts, retry pauses and dead letters. */
export class MessageAttempts<T> {
  readonly #subject: Subject<T>;
  readonly #durable: string;
  readonly #deps: AttemptDeps;
  #counted: AttemptCounts | undefined;
  readonly #decided = new WeakMap<QueuedMessage, DeadLetterDecision>();
  readonly #outages = new WeakMap<QueuedMessage, number>();
  #quarantine: Promise<void> = Promise.resolve();

  constructor(subject: Subject<T>, durable: string, deps: AttemptDeps) {
    this.#subject = subject;
    this.#durable = durable;
    this.#deps = deps;
  }

  /** Created for the first message that runs again: a message that ends in its first run is not counted. */
  get #counts(): AttemptCounts {
    this.#counted ??= new AttemptCounts({ ...this.#deps, durable: this.#durable, subject: this.#subject.name });
    return this.#counted;
  }

  /** Runs the message once. Resolves to the pause before its next run, or to undefined if the message has ended. */
  async run(message: QueuedMessage, work: MessageWork<T>): Promise<Pause | undefined> {
    try {
      return await this.#attempt(message, work);
    } catch (error) {
      // A read or write of the store failed, so the message stays the head of its key.
      this.#deps.logger.warn(
        { durable: this.#durable, id: message.id, error: messageOf(error) },
        "could not finish message, retrying",
      );
      return this.#deps.failurePauseMs;
    }
  }

  forget(message: QueuedMessage): void {
    this.#counted?.forget(message);
  }

  async #attempt(message: QueuedMessage, work: MessageWork<T>): Promise<Pause | undefined> {
    const decision = this.#decided.get(message);
    if (decision) return this.#end(message, work, decision);
    const before = await (message.suspect ? this.#counts : this.#counted)?.before(message);
    if (before && before.failures >= MAX_FAILURES) {
      const reason = `${before.failures} runs ended without an outcome${lastErrorIn(before)}`;
      return this.#end(message, work, { reason, attempts: before.attempts });
    }
    const parsed = this.#parse(await message.read(), message.format);
    const attempt = (before?.attempts ?? 0) + 1;
    if ("problem" in parsed) return this.#end(message, work, { reason: parsed.problem, attempts: attempt });
    if (before === undefined) return this.#run(message, parsed.value, { attempt, failures: 0 }, work);
    const { failures } = before;
    const run = async () => {
      await this.#counts.begin(message, { attempts: attempt, failures: failures + 1 });
      return this.#run(message, parsed.value, { attempt, failures }, work);
    };
    // A stored error proves that the last run did not crash its process.
    const mayCrash = failures >= QUARANTINE_FROM_FAILURES && before.lastError === undefined;
    return mayCrash ? this.#alone(run) : run();
  }

  async #run(
    message: QueuedMessage,
    value: T,
    run: Pick<Received, "attempt" | "failures">,
    work: MessageWork<T>,
  ): Promise<Pause | undefined> {
    const { attempt } = run;
    // Reading the message and counting the attempt may have taken longer than the lease.
    if (!this.#deps.isOwned(message)) {
      this.#counted?.notRun(message, run);
      return this.#deps.failurePauseMs;
    }
    let outcome: Outcome;
    try {
      outcome = await work.handle(value, { id: message.id, ...run, publishedAt: message.publishedAt });
    } catch (error) {
      return isOutage(error) ? this.#unavailable(message, attempt, error) : this.#failed(message, attempt, work, error);
    }
    this.#outages.delete(message);
    if ("ack" in outcome) return this.#end(message, work);
    if ("deadLetter" in outcome) return this.#end(message, work, { reason: outcome.deadLetter, attempts: attempt });
    if ("wait" in outcome) {
      await this.#counted?.ignoreRun(message, run);
      return outcome.wait;
    }
    await this.#counts.note(message, { attempts: attempt, failures: 0 });
    return Math.max(0, outcome.retryInMs);
  }

  async #failed(
    message: QueuedMessage,
    attempt: number,
    work: MessageWork<T>,
    error: unknown,
  ): Promise<number | undefined> {
    const failures = Math.max(1, this.#counts.failuresOf(message));
    const lastError = messageOf(error).slice(0, 500);
    this.#deps.logger.error(
      { durable: this.#durable, id: message.id, attempt, failures, error: lastError },
      "handler failed",
    );
    await this.#counts.note(message, { attempts: attempt, failures, lastError });
    if (failures >= MAX_FAILURES) {
      const reason = `${failures} runs ended without an outcome; the last with: ${lastError}`;
      return this.#end(message, work, { reason, attempts: attempt });
    }
    return Math.min(this.#deps.failurePauseMs * 2 ** (failures - 1), MAX_FAILURE_PAUSE_MS);
  }

  /** A dependency of the handler is unavailable: the run does not count as a failure and is retried with backoff. */
  #unavailable(message: QueuedMessage, attempt: number, error: unknown): number {
    const before = this.#outages.get(message) ?? 0;
    this.#outages.set(message, before + 1);
    this.#counts.ignoreFailure(message, attempt);
    this.#deps.logger.warn(
      { durable: this.#durable, id: message.id, attempt, error: messageOf(error) },
      "dependency unavailable, message will be retried",
    );
    return Math.min(this.#deps.failurePauseMs * 2 ** before, MAX_OUTAGE_PAUSE_MS);
  }

  async #end(message: QueuedMessage, work: MessageWork<T>, decision?: DeadLetterDecision): Promise<undefined> {
    if (decision) await this.#deadLetter(message, work, decision);
    await this.#deps.acknowledge(message);
    await this.#counted?.drop(message);
    return undefined;
  }

  /** The decision is final: if a step here fails, only these steps are retried, and the handler does not run again. */
  async #deadLetter(message: QueuedMessage, work: MessageWork<T>, decision: DeadLetterDecision): Promise<void> {
    this.#decided.set(message, decision);
    const raw = await message.read();
    const source = { subject: this.#subject.name, durable: this.#durable };
    const letter = await storeDeadLetter(this.#deps, { ...source, message, raw, ...decision });
    const parsed = this.#parse(raw);
    await work.onDeadLetter?.("value" in parsed ? parsed.value : undefined, letter);
  }

  #parse(raw: string, format?: number): { value: T } | { problem: string } {
    try {
      const parsed = this.#subject.schema.safeParse(JSON.parse(raw));
      if (parsed.success) return { value: parsed.data };
      const issues = parsed.error.issues.map((issue) => `${issue.path.join(".") || "message"}: ${issue.message}`);
      const why = issues.join("; ") + newerFormat(format);
      return { problem: `does not parse as a message of ${this.#subject.family}: ${why}` };
    } catch (error) {
      return { problem: `is not valid JSON: ${messageOf(error)}` };
    }
  }

  /** Runs suspicious messages one at a time, so that a crash counts against the message that caused it. */
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
const MAX_FAILURE_PAUSE_MS = 30_000;
const MAX_OUTAGE_PAUSE_MS = 5_000;

const lastErrorIn = ({ lastError }: AttemptRecord): string => (lastError ? `; the last with: ${lastError}` : "");

const isOutage = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "unavailable" || error.code === "stopped");

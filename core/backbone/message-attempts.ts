import { AppError, messageOf } from "../contract/app-error.ts";
import type { ConsumeOptions, Handler, Outcome, Received, Wait } from "../contract/bus.ts";
import { MAX_FAILURES } from "../contract/bus.ts";
import type { Clock } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";
import type { Store } from "../contract/store.ts";
import type { Subject } from "../contract/subject.ts";
import { AttemptCounts } from "./attempt-counts.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import { storeDeadLetter } from "./dead-letter.ts";
import type { QueuedMessage } from "./queued-message.ts";

export interface AttemptDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The message has ended: it must not come again. Rejects only if it may still come again. */
  acknowledge(message: QueuedMessage): Promise<void>;
  /** False once another process may handle the message. Asked just before each run of its handler. */
  isOwned(message: QueuedMessage): boolean;
  /** The pause after a first failure; it doubles up to 30 s. */
  readonly failurePauseMs: number;
}

/** What a consumer does with a message. */
export interface MessageWork<T> {
  readonly handle: Handler<T>;
  readonly onDeadLetter: ConsumeOptions<T>["onDeadLetter"];
}

/** Milliseconds, or until it is woken. */
export type Pause = number | Wait;

/** The message is a dead letter, for this reason. */
interface Verdict {
  readonly reason: string;
  readonly attempts: number;
}

/** Runs the messages of one durable: counted attempts, pauses between them, dead letters. */
export class MessageAttempts<T> {
  readonly #subject: Subject<T>;
  readonly #durable: string;
  readonly #deps: AttemptDeps;
  readonly #counts: AttemptCounts;
  readonly #verdicts = new WeakMap<QueuedMessage, Verdict>();
  readonly #outages = new WeakMap<QueuedMessage, number>();
  #quarantine: Promise<void> = Promise.resolve();

  constructor(subject: Subject<T>, durable: string, deps: AttemptDeps) {
    this.#subject = subject;
    this.#durable = durable;
    this.#deps = deps;
    this.#counts = new AttemptCounts({ ...deps, durable, subject: subject.name });
  }

  /** Runs the message once. Resolves to what comes before its next run, or to nothing if it has ended. */
  async run(message: QueuedMessage, work: MessageWork<T>): Promise<Pause | undefined> {
    try {
      return await this.#attempt(message, work);
    } catch (error) {
      // The store could not be read or written: nothing is known to be lost, so the message keeps its place.
      this.#deps.logger.warn({ durable: this.#durable, id: message.id, error: messageOf(error) }, "message kept back");
      return this.#deps.failurePauseMs;
    }
  }

  forget(message: QueuedMessage): void {
    this.#counts.forget(message);
  }

  async #attempt(message: QueuedMessage, work: MessageWork<T>): Promise<Pause | undefined> {
    const verdict = this.#verdicts.get(message);
    if (verdict) return this.#end(message, work, verdict);
    const before = await this.#counts.before(message);
    if (before && before.failures >= MAX_FAILURES) {
      const reason = `${before.failures} runs ended without an outcome${lastWords(before)}`;
      return this.#end(message, work, { reason, attempts: before.attempts });
    }
    const parsed = this.#parse(await message.read());
    const attempt = (before?.attempts ?? 0) + 1;
    if ("problem" in parsed) return this.#end(message, work, { reason: parsed.problem, attempts: attempt });
    if (before === undefined) return this.#run(message, parsed.value, { attempt, failures: 0 }, work);
    const { failures } = before;
    const run = async () => {
      await this.#counts.begin(message, { attempts: attempt, failures: failures + 1 });
      return this.#run(message, parsed.value, { attempt, failures }, work);
    };
    // A run that has thrown did not kill its process: nothing need be afraid of it.
    const mayKill = failures >= QUARANTINE_FROM_FAILURES && before.lastError === undefined;
    return mayKill ? this.#alone(run) : run();
  }

  async #run(
    message: QueuedMessage,
    value: T,
    run: Pick<Received, "attempt" | "failures">,
    work: MessageWork<T>,
  ): Promise<Pause | undefined> {
    const { attempt } = run;
    // Reading the message and counting its attempts may have taken longer than the lease.
    if (!this.#deps.isOwned(message)) {
      this.#counts.notRun(message, run);
      return this.#deps.failurePauseMs;
    }
    let outcome: Outcome;
    try {
      outcome = await work.handle(value, { id: message.id, ...run, publishedAt: message.publishedAt });
    } catch (error) {
      return isOutage(error) ? this.#waitOut(message, attempt, error) : this.#failed(message, attempt, work, error);
    }
    this.#outages.delete(message);
    if ("ack" in outcome) return this.#end(message, work);
    if ("deadLetter" in outcome) return this.#end(message, work, { reason: outcome.deadLetter, attempts: attempt });
    if ("wait" in outcome) {
      await this.#counts.takeBack(message, run);
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
    return Math.min(this.#deps.failurePauseMs * 2 ** (failures - 1), LONGEST_FAILURE_PAUSE_MS);
  }

  /** What the handler needs is away: no fault of the message, and no reason to run it as fast as it can fail. */
  #waitOut(message: QueuedMessage, attempt: number, error: unknown): number {
    const before = this.#outages.get(message) ?? 0;
    this.#outages.set(message, before + 1);
    this.#counts.pardon(message, attempt);
    this.#deps.logger.warn({ durable: this.#durable, id: message.id, attempt, error: messageOf(error) }, "put back");
    return Math.min(this.#deps.failurePauseMs * 2 ** before, LONGEST_OUTAGE_PAUSE_MS);
  }

  async #end(message: QueuedMessage, work: MessageWork<T>, verdict?: Verdict): Promise<undefined> {
    if (verdict) await this.#deadLetter(message, work, verdict);
    await this.#deps.acknowledge(message);
    await this.#counts.drop(message);
    return undefined;
  }

  /** Once decided it stays so: if a step of this fails, the message is kept back, and its handler is not asked again. */
  async #deadLetter(message: QueuedMessage, work: MessageWork<T>, verdict: Verdict): Promise<void> {
    this.#verdicts.set(message, verdict);
    const raw = await message.read();
    const place = { subject: this.#subject.name, durable: this.#durable };
    const letter = await storeDeadLetter(this.#deps, { ...place, message, raw, ...verdict });
    const parsed = this.#parse(raw);
    await work.onDeadLetter?.("value" in parsed ? parsed.value : undefined, letter);
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

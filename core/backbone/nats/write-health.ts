import { NatsError } from "nats";
import { messageOf } from "../../contract/app-error.ts";
import type { Timer } from "../../contract/ports/clock.ts";
import type { NatsConnector } from "./connection/nats-connector.ts";
import { isDenied, isNoResponder, PERHAPS_NO_QUORUM } from "./connection/nats-fault.ts";
import type { NatsOptions } from "./connection/nats-options.ts";
import type { NatsSession } from "./connection/nats-session.ts";
import type { KvBucket } from "./kv/kv-bucket.ts";

interface WriteHealthOptions extends NatsOptions {
  /** The connection, the result of the probe or the outage has changed. */
  changed(): void;
}

/**
 * Probes whether NATS stores writes, because a cluster without a quorum keeps its connections open. One small write every
 * two seconds per process, an extra one after an operation without an answer, and one every second while writes fail.
 */
export class WriteHealth {
  readonly #connector: NatsConnector;
  readonly #bucket: KvBucket;
  readonly #options: WriteHealthOptions;
  #timer: Timer | undefined;
  /** Fires when a failure becomes an outage, while no probe would notice it. */
  #outageTimer: Timer | undefined;
  #probing = false;
  #probedAt = Number.NEGATIVE_INFINITY;
  #problem: string | undefined;
  /** Monotonic time of the first failure; undefined while writes work. */
  #failingSince: number | undefined;
  #isDenied = false;
  #stopped = false;

  constructor(connector: NatsConnector, bucket: KvBucket, options: WriteHealthOptions) {
    this.#connector = connector;
    this.#bucket = bucket;
    this.#options = options;
    connector.onSession(() => {
      void this.#probe();
      options.changed();
    });
    connector.onDown(() => {
      this.#failAt(options.clock.monotonic());
      options.changed();
    });
    connector.onInterruption(() => {
      if (options.clock.monotonic() - this.#probedAt >= RETRY_MS) void this.#probe();
    });
  }

  /** Why the last probe failed, for operators. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Why writes fail, once they have failed for longer than a reconnect takes. */
  get outage(): string | undefined {
    const { clock } = this.#options;
    if (this.#failingSince === undefined || clock.monotonic() - this.#failingSince < CERTAIN_AFTER_MS) return undefined;
    const connection = this.#connector.health();
    return connection.ok ? (this.#problem ?? NO_ANSWER) : connection.reason;
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#outageTimer?.cancel();
  }

  #failAt(time: number): void {
    if (this.#failingSince !== undefined || this.#stopped) return;
    this.#failingSince = time;
    this.#reportOutageAt(time + CERTAIN_AFTER_MS);
  }

  #reportOutageAt(time: number): void {
    const { clock, changed } = this.#options;
    this.#outageTimer = clock.after(Math.max(1, time - clock.monotonic()), () => {
      // Node's timers may fire some milliseconds early, because they start at the begin of a pass of the event loop.
      if (clock.monotonic() < time) this.#reportOutageAt(time);
      else changed();
    });
  }

  #recover(): void {
    this.#failingSince = undefined;
    this.#outageTimer?.cancel();
  }

  async #probe(): Promise<void> {
    const session = this.#connector.current;
    if (this.#stopped || this.#probing || !session) return;
    if (this.#isDenied) {
      this.#recover();
      this.#options.changed();
      return;
    }
    this.#probing = true;
    this.#probedAt = this.#options.clock.monotonic();
    const problem = await this.#write(session);
    this.#probing = false;
    if (this.#stopped) return;
    // The connection has ended meanwhile, so the result does not count.
    if (this.#connector.current !== session) return this.#probe();
    this.#note(problem);
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(problem ? RETRY_MS : PROBE_EVERY_MS, () => void this.#probe());
  }

  async #write(session: NatsSession): Promise<string | undefined> {
    const { clock, logger } = this.#options;
    let timer: Timer | undefined;
    let isLate = false;
    const late = new Promise<string>((resolve) => {
      timer = clock.after(TIMEOUT_MS, () => {
        isLate = true;
        resolve(NO_ANSWER);
      });
    });
    const stored = this.#bucket
      .overwriteOn(session, KEY, Buffer.from(JSON.stringify({ at: clock.now() })))
      // A late answer: the server works again, so the next probe runs at once.
      .then(() => (isLate ? void this.#probe() : undefined))
      .catch((error: unknown) => {
        this.#isDenied = isDenied(error);
        if (this.#isDenied) logger.warn({ error: messageOf(error) }, "could not probe NATS, permission denied");
        return this.#isDenied ? undefined : problemOf(error);
      });
    const problem = await Promise.race([stored, late]);
    timer?.cancel();
    return problem;
  }

  #note(problem: string | undefined): void {
    const { logger, changed } = this.#options;
    const isSame = problem === this.#problem && (problem === undefined) === (this.#failingSince === undefined);
    if (problem && !this.#problem) logger.warn({ reason: problem }, "NATS does not store writes");
    if (!problem && this.#problem) logger.info({}, "NATS stores writes again");
    this.#problem = problem;
    if (problem) this.#failAt(this.#probedAt);
    else this.#recover();
    if (!isSame) changed();
  }
}

const problemOf = (error: unknown): string => {
  if (isNoResponder(error)) return NO_LEADER;
  if (error instanceof NatsError && error.api_error) {
    return `NATS refuses to store messages: ${error.api_error.description}`;
  }
  return error instanceof NatsError && error.code === "TIMEOUT"
    ? NO_ANSWER
    : `NATS does not store writes: ${messageOf(error)}`;
};

const NO_ANSWER = `NATS does not confirm that it stores messages; ${PERHAPS_NO_QUORUM}`;
const NO_LEADER = `NATS has no leader that stores messages; ${PERHAPS_NO_QUORUM}`;
const KEY = "probe";
const PROBE_EVERY_MS = 2_000;
const RETRY_MS = 1_000;
/** Slack and Teams redeliver a refused message late, so a shorter outage is waited out instead. */
const CERTAIN_AFTER_MS = 1_500;
const TIMEOUT_MS = 2_000;

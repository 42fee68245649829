import { type Msg, nanos, type Subscription } from "nats";
import type { Clock, Timer } from "../../../contract/ports/clock.ts";
import type { Logger } from "../../../contract/ports/logger.ts";
import { isNotFound, isWithoutLeader } from "../connection/nats-fault.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import { type AckAddress, ackAddress } from "../wire/envelope.ts";

interface ReaderDeps {
  readonly session: NatsSession;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stream: string;
  readonly consumer: string;
  message(message: Msg, address: AckAddress, reply: string): void;
  /** False while too many messages wait in this process to request more. */
  wantsMore(): boolean;
  /** True while the cluster stores writes, so that a new consumer can be created. */
  canReplace(): boolean;
  /**
   * The consumer does not exist any more, does not respond to repeated requests, or has sent a message that did not
   * arrive. No message behind a lost one was handed on, so a new consumer can start after the last one that was.
   */
  ended(): void;
}

/**
 * Keeps pull requests open at one consumer, a few hundred messages ahead.
 *
 * A request can vanish at the server without a status: up to 2.9.15 when a message arrives in the instant in which the
 * request expires (https://github.com/nats-io/nats-server/pull/3942), on any version with the leader of a replicated
 * consumer. So requests are replaced long before they expire, and repeated if the consumer sends neither messages nor
 * heartbeats. A repeated request is safe: each message is delivered once, in order, whichever request it counts for.
 *
 * A message can vanish as well, if the consumer's leader crashes while the message is in transit to the node that this
 * process is connected to: the next leader counts it as delivered and redelivers it only after the ack wait. The consumer
 * numbers its messages without gaps and sends the last number in its heartbeats, so a gap shows the loss.
 */
export class PullReader {
  readonly #deps: ReaderDeps;
  readonly #inbox: string;
  readonly #subscription: Subscription;
  /** Requests of one round share a reply subject, so that the status of a replaced one is recognised. */
  #round = 0;
  #roundStartedAt = 0;
  /** Messages requested in this round and not delivered yet. */
  #requested = 0;
  #watchdog: Timer | undefined;
  #lastReceivedAt: number;
  /** Consecutive requests that were followed by silence. */
  #unanswered = 0;
  #inspecting = false;
  /** The highest consumer sequence number that has arrived. */
  #arrived = 0;
  /** Monotonic time since which heartbeats name a higher one. */
  #behindSince: number | undefined;
  #stopped = false;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
    this.#inbox = deps.session.newInbox();
    this.#lastReceivedAt = deps.clock.monotonic();
    const callback = (error: Error | null, message: Msg) => this.#receive(error, message);
    this.#subscription = deps.session.nc.subscribe(`${this.#inbox}.*`, { callback });
    this.#startRound();
    this.#watch(MAX_SILENCE_MS);
  }

  /** False while the server shows no sign of serving the requests. */
  get isServed(): boolean {
    return !this.#stopped && this.#unanswered === 0;
  }

  /** Call after wantsMore() may have become true. */
  wake(): void {
    if (this.#requested <= REFILL_AT) this.#request();
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#watchdog?.cancel();
    if (this.#deps.session.isOpen) this.#subscription.unsubscribe();
  }

  /** Requests of earlier rounds may still be served; they no longer count. */
  #startRound(): void {
    this.#round++;
    this.#roundStartedAt = this.#deps.clock.monotonic();
    this.#requested = 0;
    this.#request();
  }

  #request(): void {
    const { session, stream, consumer, clock } = this.#deps;
    if (this.#stopped || !session.isOpen || !this.#deps.wantsMore()) return;
    const batch = AHEAD - this.#requested;
    if (batch <= 0) return;
    if (this.#requested === 0) this.#lastReceivedAt = clock.monotonic();
    this.#requested += batch;
    const request = { batch, expires: nanos(EXPIRES_MS), idle_heartbeat: nanos(HEARTBEAT_MS) };
    session.nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, JSON.stringify(request), {
      reply: `${this.#inbox}.${this.#round}`,
    });
  }

  #receive(error: Error | null, message: Msg): void {
    if (this.#stopped) return;
    this.#lastReceivedAt = this.#deps.clock.monotonic();
    this.#unanswered = 0;
    const reply = message?.reply;
    const address = reply ? ackAddress(reply) : undefined;
    if (error) this.#deps.ended();
    else if (reply === undefined || address === undefined) this.#status(message);
    else if (address.consumerSeq > this.#arrived + 1) this.#lost(address.consumerSeq - 1);
    else {
      this.#arrived = Math.max(this.#arrived, address.consumerSeq);
      this.#behindSince = undefined;
      this.#requested = Math.max(0, this.#requested - 1);
      this.#deps.message(message, address, reply);
      this.wake();
    }
  }

  #status({ headers, subject }: Msg): void {
    const code = headers?.code ?? 0;
    if (code === 100) {
      this.#compare(Number(headers?.get("Nats-Last-Consumer") || 0));
      return;
    }
    if (code === 404 || code === 503 || /consumer deleted/i.test(headers?.description ?? "")) {
      this.#deps.ended();
      return;
    }
    if (subject !== `${this.#inbox}.${this.#round}`) return;
    const left = Number(headers?.get("Nats-Pending-Messages") || this.#requested);
    this.#requested = Math.max(0, this.#requested - left);
    if (code === 408) this.wake();
    // Refused (too many requests, another leader): retry after a pause, to not flood the server.
    else this.#watch(REFUSED_PAUSE_MS);
  }

  /** A message of an earlier leader may still be in transit when the heartbeat of the next one arrives. */
  #compare(sent: number): void {
    const now = this.#deps.clock.monotonic();
    if (sent <= this.#arrived) this.#behindSince = undefined;
    else if (this.#behindSince === undefined) this.#behindSince = now;
    else if (now - this.#behindSince >= MAX_TRANSIT_MS) this.#lost(sent);
  }

  #lost(sent: number): void {
    const { logger, stream, consumer } = this.#deps;
    logger.warn({ stream, consumer, sent, arrived: this.#arrived }, "messages lost in transit, reading them again");
    this.#deps.ended();
  }

  #watch(afterMs: number): void {
    this.#watchdog?.cancel();
    this.#watchdog = this.#deps.clock.after(afterMs, () => {
      const now = this.#deps.clock.monotonic();
      const isSilent = this.#requested > 0 && now - this.#lastReceivedAt >= MAX_SILENCE_MS;
      if (isSilent) this.#repeatRequest();
      else if (this.#requested > 0 && now - this.#roundStartedAt >= REPLACE_AFTER_MS) this.#startRound();
      else this.wake();
      if (this.#stopped) return;
      const silentMs = this.#requested > 0 ? now - this.#lastReceivedAt : 0;
      this.#watch(untilTick(now, Math.max(REFUSED_PAUSE_MS, MAX_SILENCE_MS - silentMs)));
    });
  }

  #repeatRequest(): void {
    this.#unanswered++;
    const { logger, stream, consumer } = this.#deps;
    logger.debug({ stream, consumer, unanswered: this.#unanswered }, "pull request lost, repeating it");
    this.#startRound();
    void this.#inspect();
  }

  /** The server does not answer pull requests for a deleted consumer, but it answers an info request. */
  async #inspect(): Promise<void> {
    if (this.#inspecting) return;
    this.#inspecting = true;
    const { session, stream, consumer } = this.#deps;
    const state = await session.lookups.consumers
      .info(stream, consumer)
      .then(() => "exists" as const)
      .catch(consumerState);
    this.#inspecting = false;
    if (this.#stopped || this.#unanswered === 0) return;
    // Each replicated consumer elects its own leader, up to 20 s after the cluster stores again. A new one has one at once.
    const isStuck = state === "leaderless" && this.#unanswered >= MAX_LEADERLESS && this.#deps.canReplace();
    // Without an answer to the info request, a new consumer could not be created either.
    const isUnresponsive = state === "exists" && this.#unanswered >= MAX_UNANSWERED;
    if (state === "deleted" || isStuck || isUnresponsive) this.#deps.ended();
  }
}

/** Rounds up to a common tick: hundreds of readers with a timer each would wake an idle process 90 times a second. */
const untilTick = (now: number, afterMs: number): number => Math.ceil((now + afterMs) / TICK_MS) * TICK_MS - now;

const consumerState = (error: unknown): "deleted" | "leaderless" | "unknown" => {
  if (isNotFound(error)) return "deleted";
  return isWithoutLeader(error) ? "leaderless" : "unknown";
};

const AHEAD = 256;
const REFILL_AT = 128;
const EXPIRES_MS = 600_000;
const REPLACE_AFTER_MS = 0.8 * EXPIRES_MS;
/** An idle consumer costs one small message in this time. */
const HEARTBEAT_MS = 2_000;
/** A heartbeat is overdue. A lost request then delays a message by less than 3 seconds. */
const MAX_SILENCE_MS = HEARTBEAT_MS + 750;
const TICK_MS = 200;
const REFUSED_PAUSE_MS = 250;
/** Less than the time between two heartbeats, so that the second one decides. */
const MAX_TRANSIT_MS = HEARTBEAT_MS / 2;
/** After this many unanswered requests an existing consumer is replaced by a new one. */
const MAX_UNANSWERED = 8;
/** Limit while the stream has no leader: an election after the crash of a node usually ends earlier. */
const MAX_LEADERLESS = 2;

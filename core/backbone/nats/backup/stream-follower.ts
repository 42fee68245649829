import { AckPolicy, DeliverPolicy, type Msg, nanos, nuid } from "nats";
import { BackboneUnavailable } from "../../../contract/app-error.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import { ackAddress, storedNanos } from "../wire/envelope.ts";

export interface FollowedMessage {
  readonly seq: number;
  /** Wall clock of the server, nanoseconds. */
  readonly time: number;
  readonly message: Msg;
}

interface FollowerListener {
  received(message: FollowedMessage): void;
  failed(error: Error): void;
}

/** Receives every message of a stream, first the stored ones, then each new one as soon as it is stored. */
export class StreamFollower {
  readonly #session: NatsSession;
  readonly #next: string;
  readonly #listener: FollowerListener;
  /** A delivered message has the subject under which it was stored, so each kind of pull has its own inbox. */
  readonly #waiting: string;
  readonly #end: string;
  #requested = 0;
  #arrived = 0;
  #atEnd: () => void = () => undefined;
  /** Consecutive answers "no messages". The first one can overtake a message that the server is about to send. */
  #ends = 0;

  private constructor(session: NatsSession, next: string, listener: FollowerListener) {
    this.#session = session;
    this.#next = next;
    this.#listener = listener;
    this.#waiting = this.#subscribe((message) => {
      if (message === undefined || --this.#requested === 0) this.#request();
    });
    this.#end = this.#subscribe((message) => {
      this.#ends = message === undefined ? this.#ends + 1 : 0;
      if (this.#ends < 2) this.#askForEnd();
      else this.#atEnd();
    });
    this.#request();
  }

  static async start(session: NatsSession, stream: string, listener: FollowerListener): Promise<StreamFollower> {
    const { name } = await session.jsm.consumers.add(stream, {
      name: `backup_${nuid.next()}`,
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.All,
      inactive_threshold: nanos(ABANDONED_AFTER_MS),
      mem_storage: true,
      num_replicas: 1,
    });
    return new StreamFollower(session, `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`, listener);
  }

  /** Resolves once every message that was stored before the call has been received. One call at a time. */
  caughtUp(): Promise<void> {
    return new Promise((resolve) => {
      this.#atEnd = resolve;
      this.#ends = 0;
      this.#askForEnd();
    });
  }

  /** `took` gets each message, and undefined when a pull has ended without one. */
  #subscribe(took: (message: Msg | undefined) => void): string {
    const inbox = this.#session.newInbox();
    this.#session.nc.subscribe(inbox, {
      callback: (error, message) => {
        if (error) return this.#listener.failed(error);
        const address = message.reply === undefined ? undefined : ackAddress(message.reply);
        const code = message.headers?.code ?? 0;
        if (address === undefined && code !== NO_MESSAGES && code !== EXPIRED) {
          return this.#listener.failed(new BackboneUnavailable(`NATS answered ${code}: run the backup again`));
        }
        if (address === undefined) return took(undefined);
        if (address.consumerSeq !== ++this.#arrived) {
          return this.#listener.failed(new BackboneUnavailable("a message was lost on the way: run the backup again"));
        }
        this.#listener.received({ seq: address.seq, time: storedNanos(message.reply ?? ""), message });
        took(message);
      },
    });
    return inbox;
  }

  #request(): void {
    this.#requested = BATCH;
    this.#pull({ batch: BATCH, expires: nanos(PULL_MS) }, this.#waiting);
  }

  /** The server answers the other pull first, so "no messages" means that everything has been delivered. */
  #askForEnd(): void {
    this.#pull({ batch: 1, no_wait: true }, this.#end);
  }

  #pull(pull: object, reply: string): void {
    this.#session.nc.publish(this.#next, JSON.stringify(pull), { reply });
  }
}

const NO_MESSAGES = 404;
const EXPIRED = 408;
const BATCH = 500;
const PULL_MS = 30_000;
const ABANDONED_AFTER_MS = 60_000;

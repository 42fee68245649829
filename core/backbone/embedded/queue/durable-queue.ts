import { AppError } from "../../../contract/app-error.ts";
import type { QueueDepth } from "../../../contract/ports/backbone.ts";
import type { Handler } from "../../../contract/ports/bus.ts";
import type { Store } from "../../../contract/ports/store.ts";
import type { Subject } from "../../../contract/ports/subject.ts";
import { decodeToken } from "../../../contract/ports/token.ts";
import type { QueuedMessage } from "../../key-lanes.ts";
import { type AttachOptions, KeyedConsumption } from "../../keyed-consumption.ts";
import type { Database, Statement } from "../file/database.ts";
import { type AcknowledgementDeps, Acknowledgements } from "./acknowledgements.ts";
import type { Durable, StoredMessage, SweptSlice } from "./durable-registry.ts";

type PendingRow = [seq: number, key: string | null, id: string, publishedAt: number];

export interface DurableQueueDeps extends AcknowledgementDeps {
  readonly store: Store;
}

/**
 * The pending messages of one durable in this process. A consumer that attaches first catches up from the file, page by
 * page; then the queue is live and each message arrives when it is committed.
 */
export class DurableQueue<T> {
  readonly #durable: Durable;
  readonly #consumption: KeyedConsumption<T>;
  readonly #acknowledgements: Acknowledgements;
  readonly #bodies: MessageBodies;
  readonly #page: Statement<PendingRow>;
  #lastQueued = 0;
  #live = false;
  #catchingUp: Promise<void> | undefined;

  constructor(subject: Subject<T>, name: string, durable: Durable, deps: DurableQueueDeps) {
    const { database, store, clock, logger, pauseMs } = deps;
    this.#durable = durable;
    this.#bodies = new MessageBodies(database);
    this.#page = database.prepare<PendingRow>(
      `SELECT seq, key, id, published_at FROM pending JOIN messages USING (seq)
       WHERE durable_id = ? AND seq > ? ORDER BY seq LIMIT ${PAGE}`,
    );
    this.#acknowledgements = new Acknowledgements(durable.id, deps, () => this.#consumption.wake());
    this.#consumption = new KeyedConsumption(subject, name, {
      store,
      clock,
      logger,
      failurePauseMs: pauseMs,
      isOwned: () => true,
      mayStart: () => this.#acknowledgements.owed === 0 && database.failure === undefined,
      acknowledge: async ({ seq }) => {
        this.#bodies.drop(seq);
        await this.#acknowledgements.write(seq);
      },
      settled: () => undefined,
    });
  }

  get depth(): QueueDepth {
    return this.#consumption.depth;
  }

  /** Resolves once every pending message is queued; the result detaches the consumer. */
  async attach(options: AttachOptions<T>, handle: Handler<T>): Promise<() => Promise<void>> {
    const detach = this.#consumption.attach(options, handle);
    const leave = async () => {
      const left = detach();
      // Without a consumer, messages stay in the file and take no memory.
      if (!this.#consumption.hasWorkers) this.#live = false;
      await left;
    };
    try {
      while (!this.#live && this.#consumption.hasWorkers) await this.#catchUp();
    } catch (error) {
      await leave();
      throw error;
    }
    return leave;
  }

  /** Call right after the commit, in the order of sequence numbers. */
  arrived({ seq, key, id, publishedAt, body }: StoredMessage): void {
    if (!this.#live) return;
    this.#bodies.cache(seq, body);
    this.#push(seq, key, id, publishedAt);
  }

  /** Drops messages that the sweeper has deleted. */
  swept({ after, last, tooOld }: SweptSlice): void {
    this.#bodies.dropAll((seq) => seq > after && seq <= last);
    this.#consumption.forget(({ seq, publishedAt }) => seq > after && seq <= last && publishedAt <= tooOld);
  }

  async close(): Promise<void> {
    this.#consumption.forget(() => true);
    await this.#acknowledgements.close();
  }

  #catchUp(): Promise<void> {
    this.#catchingUp ??= this.#queuePages().finally(() => {
      this.#catchingUp = undefined;
    });
    return this.#catchingUp;
  }

  async #queuePages(): Promise<void> {
    while (this.#consumption.hasWorkers) {
      const rows = this.#page.all(this.#durable.id, this.#lastQueued);
      for (const [seq, key, id, publishedAt] of rows) {
        this.#push(seq, key === null ? undefined : decodeToken(key), decodeToken(id), publishedAt);
      }
      this.#live = rows.length < PAGE;
      if (this.#live) return;
      await new Promise((nextPass) => setImmediate(nextPass));
    }
  }

  #push(seq: number, key: string | undefined, id: string, publishedAt: number): void {
    this.#lastQueued = seq;
    const suspect = seq <= this.#durable.suspectUpTo;
    this.#consumption.push(new PendingMessage(this.#bodies, seq, key, id, publishedAt, suspect));
  }
}

class PendingMessage implements QueuedMessage {
  readonly #bodies: MessageBodies;
  readonly seq: number;
  readonly partition = 0;
  readonly key: string | undefined;
  readonly id: string;
  readonly publishedAt: number;
  readonly suspect: boolean;

  constructor(
    bodies: MessageBodies,
    seq: number,
    key: string | undefined,
    id: string,
    publishedAt: number,
    suspect: boolean,
  ) {
    this.#bodies = bodies;
    this.seq = seq;
    this.key = key;
    this.id = id;
    this.publishedAt = publishedAt;
    this.suspect = suspect;
  }

  read(): string {
    return this.#bodies.read(this.seq);
  }
}

const PAGE = 500;

/** The JSON of waiting messages: in memory while the queue is short, otherwise read from the file right before the run. */
class MessageBodies {
  readonly #select;
  readonly #cached = new Map<number, string>();
  #cachedLength = 0;

  constructor(database: Database) {
    this.#select = database.prepare<[body: string]>("SELECT body FROM messages WHERE seq = ?");
  }

  cache(seq: number, body: string): void {
    if (this.#cachedLength + body.length > MAX_CACHED_LENGTH) return;
    this.#cached.set(seq, body);
    this.#cachedLength += body.length;
  }

  read(seq: number): string {
    const body = this.#cached.get(seq) ?? this.#select.get(seq)?.[0];
    if (body === undefined) throw new AppError("not-found", `message ${seq} is no longer stored`);
    return body;
  }

  drop(seq: number): void {
    const body = this.#cached.get(seq);
    if (body === undefined) return;
    this.#cached.delete(seq);
    this.#cachedLength -= body.length;
  }

  dropAll(isDropped: (seq: number) => boolean): void {
    for (const seq of [...this.#cached.keys()]) if (isDropped(seq)) this.drop(seq);
  }
}

/** In UTF-16 units, per durable. */
const MAX_CACHED_LENGTH = 2_000_000;

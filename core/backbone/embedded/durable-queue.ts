import type { QueueDepth } from "../../contract/backbone.ts";
import type { Handler } from "../../contract/bus.ts";
import type { Store } from "../../contract/store.ts";
import type { Subject } from "../../contract/subject.ts";
import { decodeToken } from "../../contract/token.ts";
import type { AttachOptions } from "../keyed-consumption.ts";
import { KeyedConsumption } from "../keyed-consumption.ts";
import type { QueuedMessage } from "../queued-message.ts";
import type { AcknowledgementParts } from "./acknowledgements.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import type { Statement } from "./database.ts";
import type { Durable, SweptSlice } from "./durable-registry.ts";
import { MessageBodies } from "./message-bodies.ts";
import type { StoredMessage } from "./stored-message.ts";

type PendingRow = [seq: number, key: string | null, id: string, publishedAt: number];

export interface DurableQueueParts extends AcknowledgementParts {
  readonly store: Store;
}

/**
 * The pending messages of one durable, in this process. Everything up to the last queued one is in the consumption's
 * hands; what lies behind it is read from the file when somebody consumes, and then comes as it is committed.
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

  constructor(subject: Subject<T>, name: string, durable: Durable, parts: DurableQueueParts) {
    const { database, store, clock, logger, pauseMs } = parts;
    this.#durable = durable;
    this.#bodies = new MessageBodies(database);
    this.#page = database.prepare<PendingRow>(
      `SELECT seq, key, id, published_at FROM pending JOIN messages USING (seq)
       WHERE durable_id = ? AND seq > ? ORDER BY seq LIMIT ${PAGE}`,
    );
    this.#acknowledgements = new Acknowledgements(durable.id, parts, () => this.#consumption.wake());
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

  /** Resolves to what detaches it again, once everything pending is queued. */
  async attach(options: AttachOptions<T>, handle: Handler<T>): Promise<() => Promise<void>> {
    const detach = this.#consumption.attach(options, handle);
    const leave = async () => {
      const left = detach();
      // Nobody takes messages now, so they stay in the file rather than fill the memory.
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

  /** To be called in the order of the stream, right after the commit. */
  arrived({ seq, key, id, publishedAt, body }: StoredMessage): void {
    if (!this.#live) return;
    this.#bodies.keep(seq, body);
    this.#push(seq, key, id, publishedAt);
  }

  /** These were too old and are no longer stored. */
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

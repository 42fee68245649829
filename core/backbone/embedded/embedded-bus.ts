import { AppError } from "../../contract/app-error.ts";
import type { QueueDepth } from "../../contract/ports/backbone.ts";
import type {
  Bus,
  ConsumeOptions,
  Consumer,
  Handler,
  Listener,
  PublishOptions,
  PublishOutcome,
} from "../../contract/ports/bus.ts";
import { MAX_MESSAGE_BYTES } from "../../contract/ports/bus.ts";
import type { Subject } from "../../contract/ports/subject.ts";
import { encodeToken } from "../../contract/ports/token.ts";
import { checkConsumeOptions, checkMessageId, toJson } from "../input-checks.ts";
import { LocalSignals } from "../local-signals.ts";
import type { Statement } from "./file/database.ts";
import type { NumberSeries } from "./file/write-queue.ts";
import type { DurableQueueDeps } from "./queue/durable-queue.ts";
import { DurableQueue } from "./queue/durable-queue.ts";
import type { Durable, DurableRegistry, NewlyPending, StoredMessage } from "./queue/durable-registry.ts";
import { RecentPublications } from "./queue/recent-publications.ts";

interface EmbeddedBusDeps extends DurableQueueDeps {
  readonly numbers: NumberSeries;
  readonly durables: DurableRegistry;
  readonly newlyPending: NewlyPending;
}

export class EmbeddedBus implements Bus {
  readonly #deps: EmbeddedBusDeps;
  readonly #signals: LocalSignals;
  readonly #queues = new Map<Durable, DurableQueue<unknown>>();
  readonly #consumers = new Set<Consumer>();
  readonly #recent: RecentPublications;
  readonly #insertMessage: Statement;
  #closing = false;

  constructor(deps: EmbeddedBusDeps) {
    const { database } = deps;
    this.#deps = deps;
    this.#signals = new LocalSignals(deps.logger);
    this.#recent = new RecentPublications(database);
    this.#insertMessage = database.prepare(
      "INSERT INTO messages (seq, subject, key, id, published_at, body) VALUES (?, ?, ?, ?, ?, ?)",
    );
  }

  async publish<T>(subject: Subject<T>, message: T, { id, key }: PublishOptions): Promise<PublishOutcome> {
    const name = subject.name;
    checkMessageId(id, name);
    const body = toJson(message, `message "${id}" on ${name}`, MAX_MESSAGE_BYTES);
    const stored = await this.#deps.writes.submit(
      () => this.#store(name, id, key, body),
      (stored) => {
        if (stored) for (const { queue } of this.#deps.durables.of(name)) queue?.arrived(stored);
      },
    );
    return stored === undefined ? "repeated" : "stored";
  }

  async consume<T>(subject: Subject<T>, options: ConsumeOptions<T>, handle: Handler<T>): Promise<Consumer> {
    this.#mustBeOpen();
    const { durable: name, from = "start" } = options;
    checkConsumeOptions(options);
    const durable = await this.#deps.durables.open(subject.name, name, from);
    this.#mustBeOpen();
    const attached = this.#queueOf(subject, name, durable).attach(options, handle);
    const consumer: Consumer = {
      close: async () => {
        await (await attached)();
        this.#consumers.delete(consumer);
      },
    };
    this.#consumers.add(consumer);
    try {
      await attached;
    } catch (error) {
      this.#consumers.delete(consumer);
      throw error;
    }
    return consumer;
  }

  signal<T>(subject: Subject<T>, message: T): void {
    this.#signals.signal(subject, message);
  }

  async listen<T>(subject: Subject<T>, handle: (message: T) => void): Promise<Listener> {
    this.#mustBeOpen();
    return this.#signals.listen(subject, handle);
  }

  queues(): readonly QueueDepth[] {
    return [...this.#queues.values()].map((queue) => queue.depth);
  }

  /** Publishing works until the running handlers have ended, because they may publish. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.allSettled([...this.#consumers].map((consumer) => consumer.close()));
    this.#signals.close();
    const left = await Promise.allSettled([...this.#queues.values()].map((queue) => queue.close()));
    const lost = left.filter(({ status }) => status === "rejected").length;
    if (lost > 0) {
      this.#deps.logger.warn({ durables: lost }, "could not store acknowledgements, their messages will run again");
    }
  }

  #store(subject: string, id: string, key: string | undefined, body: string): StoredMessage | undefined {
    const publishedAt = Math.floor(this.#deps.clock.now());
    const storedId = toStoredText(id);
    if (this.#recent.has(subject, storedId, publishedAt)) return undefined;
    const seq = this.#deps.numbers.next();
    this.#recent.add(subject, storedId, seq, publishedAt);
    const storedKey = key === undefined ? null : toStoredText(key);
    this.#insertMessage.run(seq, subject, storedKey, storedId, publishedAt, body);
    for (const durable of this.#deps.durables.of(subject)) this.#deps.newlyPending.add(durable.id, seq);
    return { seq, key, id, publishedAt, body };
  }

  #queueOf<T>(subject: Subject<T>, name: string, durable: Durable): DurableQueue<T> {
    const known = this.#queues.get(durable);
    // A subject's name determines its type.
    if (known) return known as DurableQueue<T>;
    const queue = new DurableQueue(subject, name, durable, this.#deps);
    durable.queue = queue;
    this.#queues.set(durable, queue as DurableQueue<unknown>);
    return queue;
  }

  #mustBeOpen(): void {
    if (this.#closing) throw new AppError("stopped", "the backbone is closed");
  }
}

/** An id or a key as the file holds it: unchanged if possible. `decodeToken` reads both forms. */
const toStoredText = (raw: string): string => (isPlain(raw) ? raw : encodeToken(raw));

/** SQLite's text ends at NUL, and UTF-8 has no lone surrogates; an encoded text begins with "=". */
const isPlain = (raw: string): boolean =>
  raw !== "" && !raw.startsWith("=") && !raw.includes("\0") && raw.isWellFormed();

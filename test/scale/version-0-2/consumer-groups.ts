import { Backoff } from "../../../core/backbone/nats/connection/backoff.ts";
import type { NatsConnector } from "../../../core/backbone/nats/connection/nats-connector.ts";
import type { NatsOptions } from "../../../core/backbone/nats/connection/nats-options.ts";
import type { NatsSession } from "../../../core/backbone/nats/connection/nats-session.ts";
import { KvBucket } from "../../../core/backbone/nats/kv/kv-bucket.ts";
import { WatchedBucket } from "../../../core/backbone/nats/kv/watched-bucket.ts";
import { groupName, type NatsNames } from "../../../core/backbone/nats/nats-names.ts";
import type { Membership as CurrentMembership } from "../../../core/backbone/nats/partitions/members/membership.ts";
import { ReaderHealth } from "../../../core/backbone/nats/partitions/members/reader-health.ts";
import { ReconcileSchedule } from "../../../core/backbone/nats/partitions/reconcile-schedule.ts";
import type { QueueDepth } from "../../../core/contract/ports/backbone.ts";
import type { ConsumeOptions, Consumer, Handler } from "../../../core/contract/ports/bus.ts";
import type { Timer } from "../../../core/contract/ports/clock.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import type { Subject } from "../../../core/contract/ports/subject.ts";
import { ConsumerGroup } from "./consumer-group.ts";
import { Membership } from "./membership.ts";
import { PartitionTable } from "./partition-table.ts";

interface Running {
  readonly group: ConsumerGroup<unknown>;
  closing?: Promise<void>;
  /** All partitions are released or dropped, so this process must no longer announce the group. */
  hasLeft?: boolean;
}

interface ConsumerGroupsDeps {
  readonly connector: NatsConnector;
  readonly names: NatsNames;
  readonly options: NatsOptions;
  readonly store: Store;
  readonly partitionsBucket: KvBucket;
  /** Creates the stream of a family of subjects unless it exists. */
  ensureStream(session: NatsSession, family: string): Promise<unknown>;
}

/** Version 0.2.0, frozen for simulations of a rolling upgrade. All consumers of this process, and their membership in the groups that share the work. */
export class ConsumerGroups {
  readonly #deps: ConsumerGroupsDeps;
  readonly #running = new Map<string, Running>();
  readonly #consumers = new Set<Consumer>();
  readonly #membership: Membership;
  readonly #table: PartitionTable;
  readonly #readers: ReaderHealth;
  readonly #schedule: ReconcileSchedule;
  readonly #backoff: Backoff;
  #joinedOn: NatsSession | undefined;
  #attachedOn: NatsSession | undefined;
  #beginning: Promise<void> | undefined;
  #retry: Timer | undefined;
  #closed = false;

  constructor(deps: ConsumerGroupsDeps) {
    this.#deps = deps;
    const { connector, names, options, partitionsBucket } = deps;
    const { clock, logger, leaseMs, newId, random, replicas, partitions, requiredReaders } = options;
    this.#readers = new ReaderHealth(requiredReaders, {
      clock,
      partitions: () => partitions,
      graceMs: UNREAD_LEASES * leaseMs,
      ownerOf: (group, partition) => this.#table.seen(group, partition)?.record.owner,
    });
    this.#membership = new Membership({
      bucket: new KvBucket(connector, { name: names.membersBucket, replicas }),
      clock,
      logger,
      leaseMs,
      newId,
      random,
      reading: (group) => this.#running.get(group)?.group.reportReading() ?? "",
      reported: (member, record) => this.#readers.reported(member, record),
      changed: () => this.#each((group) => void group.reconcile()),
      fenced: () => this.#each((group) => group.dropAll()),
      leaseRegained: () => this.#each((group) => this.#resume(group)),
    });
    const changed = (key: string) => void this.#running.get(key.split(".")[0] ?? "")?.group.reconcile();
    const watched = new WatchedBucket({ bucket: partitionsBucket, clock, logger, random, changed });
    this.#table = new PartitionTable(partitionsBucket, watched);
    this.#backoff = new Backoff({ clock, logger, random, ...ATTACHING });
    this.#schedule = new ReconcileSchedule({
      clock,
      logger,
      leaseMs,
      random,
      reconcile: (name) =>
        this.#each((group) => {
          if (name === undefined || group.name === name) void group.reconcile();
        }),
      checkWatches: async () => {
        await Promise.all([this.#membership.checkWatch(), this.#table.checkWatch()]);
      },
    });
    connector.onSession(() => void this.#begin());
  }

  async consume<T>(subject: Subject<T>, options: ConsumeOptions<T>, handle: Handler<T>): Promise<Consumer> {
    const name = groupName(options.durable, subject);
    while (this.#running.get(name)?.closing) await this.#running.get(name)?.closing;
    const group = this.#group(name, subject, options);
    this.#attachedOn = undefined;
    const detach = group.attach(options, handle);
    let closing: Promise<void> | undefined;
    const consumer: Consumer = {
      close: () => {
        closing ??= detach()
          .then(() => this.#leave(name))
          .finally(() => this.#consumers.delete(consumer));
        return closing;
      },
    };
    this.#consumers.add(consumer);
    await this.#attached();
    return consumer;
  }

  queues(): readonly QueueDepth[] {
    return [...this.#running.values()].map(({ group }) => group.depth);
  }

  /** False while a consumer of this process is not attached on the current connection. */
  get isAttached(): boolean {
    return this.#running.size === 0 || this.#attachedOn === this.#deps.connector.current;
  }

  /** Why an accepted message may stay unread. Undefined until this process consumes on the current connection. */
  get unread(): string | undefined {
    return this.#joinedOn !== undefined && this.#joinedOn === this.#deps.connector.current
      ? this.#readers.problem
      : undefined;
  }

  /** Waits for running handlers, releases all partitions and leaves. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#retry?.cancel();
    this.#schedule.close();
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    // Without a connection the timeout has already passed once, when the partitions were released.
    await this.#membership.close(this.#deps.connector.current ? CLOSE_TIMEOUT_MS : 0);
  }

  /** Waits until the group is attached. Without a connection it returns at once; the group attaches after the connect. */
  async #attached(): Promise<void> {
    const { connector, options } = this.#deps;
    if (!connector.current) return;
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = options.clock.after(options.operationTimeoutMs, resolve);
    });
    await Promise.race([this.#begin(), late]);
    timer?.cancel();
  }

  /** Idempotent; a failure is retried with backoff. */
  async #begin(): Promise<void> {
    while (this.#beginning) await this.#beginning;
    if (this.#closed || this.#running.size === 0) return;
    this.#beginning = this.#beginOnce()
      .then(() => this.#backoff.succeeded())
      .catch((error) => {
        if (this.#closed) return;
        this.#retry?.cancel();
        this.#retry = this.#deps.options.clock.after(this.#backoff.failed(error), () => void this.#begin());
      })
      .finally(() => {
        this.#beginning = undefined;
      });
    await this.#beginning;
  }

  async #beginOnce(): Promise<void> {
    const session = this.#deps.connector.current;
    if (!session) return;
    const groups = [...this.#running.values()].filter(({ closing }) => !closing).map(({ group }) => group);
    for (const group of groups) await group.decideOrigin();
    if (this.#joinedOn !== session) {
      this.#readers.restart();
      await Promise.all([this.#membership.begin(session), this.#table.begin(session)]);
      this.#joinedOn = session;
      this.#schedule.start();
    }
    // A group may have left meanwhile.
    await this.#membership.setGroups(this.#shared().filter((name) => groups.some((group) => group.name === name)));
    await Promise.all(groups.map((group) => group.reconcile()));
    const all = [...this.#running.values()].filter(({ closing }) => !closing);
    if (all.every(({ group }) => groups.includes(group))) this.#attachedOn = session;
    // Other processes learn at once, not with the next heartbeat, that this process reads its share.
    await this.#membership.announceReading();
  }

  #resume(group: Running["group"]): void {
    group.wake();
    void group.reconcile();
  }

  async #leave(name: string): Promise<void> {
    const running = this.#running.get(name);
    if (!running || running.group.hasWorkers) return;
    running.closing ??= running.group
      .close(CLOSE_TIMEOUT_MS)
      .then(() => this.#stopSharing(running))
      .finally(() => {
        this.#running.delete(name);
      });
    await running.closing;
  }

  /** Several groups may leave at the same time: the last announcement must contain none of them. */
  async #stopSharing(running: Running): Promise<void> {
    running.hasLeft = true;
    if (!this.#closed) await this.#membership.setGroups(this.#shared());
  }

  #shared(): string[] {
    return [...this.#running].filter(([, { hasLeft }]) => !hasLeft).map(([name]) => name);
  }

  #group<T>(name: string, subject: Subject<T>, options: ConsumeOptions<T>): ConsumerGroup<T> {
    const known = this.#running.get(name);
    // The name contains the hash of the subject, so the messages have the same type.
    if (known) return known.group as unknown as ConsumerGroup<T>;
    const { connector, names, ensureStream, store } = this.#deps;
    const group = new ConsumerGroup(subject, options, {
      options: this.#deps.options,
      connector,
      store,
      // The groups of this version use the methods that both versions have.
      membership: this.#membership as unknown as CurrentMembership,
      table: this.#table,
      schedule: this.#schedule,
      stream: names.stream(subject.family),
      ensureStream: (session) => ensureStream(session, subject.family),
      messageSubject: (partition) => names.message(subject, partition),
    });
    this.#running.set(name, { group: group as unknown as ConsumerGroup<unknown> });
    return group;
  }

  #each(run: (group: Running["group"]) => void): void {
    for (const { group, closing } of this.#running.values()) if (!closing) run(group);
  }
}

/** Grace for an unread partition, in leases: long enough for a restart of its reader. */
const UNREAD_LEASES = 2;
const ATTACHING = { failing: "could not attach consumers, retrying", recovered: "consumers attached" };
const CLOSE_TIMEOUT_MS = 3_000;

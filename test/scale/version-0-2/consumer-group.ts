import type { QueuedMessage } from "../../../core/backbone/key-lanes.ts";
import { type AttachOptions, KeyedConsumption } from "../../../core/backbone/keyed-consumption.ts";
import type { NatsSession } from "../../../core/backbone/nats/connection/nats-session.ts";
import { groupName } from "../../../core/backbone/nats/nats-names.ts";
import { assignPartitions } from "../../../core/backbone/nats/partitions/assign-partitions.ts";
import { encodePartitions } from "../../../core/backbone/nats/partitions/members/member-record.ts";
import { PartitionDrain } from "../../../core/backbone/nats/partitions/partition-drain.ts";
import { eachLimited } from "../../../core/backbone/nats/partitions/reconcile-schedule.ts";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { QueueDepth } from "../../../core/contract/ports/backbone.ts";
import type { ConsumeOptions, Handler } from "../../../core/contract/ports/bus.ts";
import type { Timer } from "../../../core/contract/ports/clock.ts";
import type { Subject } from "../../../core/contract/ports/subject.ts";
import type { HeldPartition } from "./held-partition.ts";
import { type GroupDeps, PartitionOwnership } from "./partition-ownership.ts";
import type { FoundPartition } from "./partition-table.ts";

/** This process's share of one durable: takes the partitions that are assigned to it and hands over the others. */
export class ConsumerGroup<T> {
  readonly name: string;
  readonly #deps: GroupDeps;
  readonly #consumption: KeyedConsumption<T>;
  readonly #held = new Map<number, HeldPartition>();
  readonly #ownership: PartitionOwnership;
  readonly #drain: PartitionDrain;
  /** Partitions assigned to this process whose recorded owner is alive and does not report that it reads them. */
  readonly #unread = new Map<number, { readonly revision: number; readonly since: number }>();
  #timer: { readonly at: number; readonly timer: Timer } | undefined;
  #assigned: { readonly members: readonly string[]; readonly owners: readonly (string | undefined)[] } | undefined;
  #pass: Promise<void> | undefined;
  #passAgain = false;
  #passFailed = false;
  #closing = false;

  constructor(subject: Subject<T>, options: ConsumeOptions<T>, deps: GroupDeps) {
    this.name = groupName(options.durable, subject);
    this.#deps = deps;
    const { clock, logger, failurePauseMs } = deps.options;
    const isRunning = (partition: number) => this.#consumption.isRunning((message) => message.partition === partition);
    this.#drain = new PartitionDrain(clock, isRunning);
    this.#consumption = new KeyedConsumption(subject, options.durable, {
      store: deps.store,
      clock,
      logger,
      failurePauseMs,
      acknowledge: async (message) => this.#held.get(message.partition)?.ended(message),
      isOwned: (message) => this.#isOwned(message),
      mayStart: (message) => this.#mayStart(message),
      settled: (message) => this.#drain.settled(message.partition),
    });
    this.#ownership = new PartitionOwnership(this.name, options.from ?? "start", {
      ...deps,
      durable: options.durable,
      subject: subject.name,
      push: (message) => this.#consumption.push(message),
      readingEnded: () => this.#soon(LOOK_AGAIN_MS),
    });
  }

  attach(options: AttachOptions<T>, handle: Handler<T>): () => Promise<void> {
    return this.#consumption.attach(options, handle);
  }

  get hasWorkers(): boolean {
    return this.#consumption.hasWorkers;
  }

  get depth(): QueueDepth {
    return this.#consumption.depth;
  }

  /** For a heartbeat: the partitions whose consumers currently serve this process, encoded. */
  reportReading(): string {
    const { connector, options } = this.#deps;
    const session = connector.current;
    const read: number[] = [];
    for (const held of this.#held.values()) {
      if (session && !held.releasing && held.isServedOn(session)) {
        read.push(held.partition);
        if (held.unreportedSince !== undefined) options.clock.after(0, () => this.wake());
        held.unreportedSince = undefined;
      } else held.unreportedSince ??= options.clock.monotonic();
    }
    return encodePartitions(read, options.partitions);
  }

  /** Decides where a new durable starts, once, before it reads. */
  decideOrigin(): Promise<unknown> {
    return this.#ownership.origin();
  }

  wake(): void {
    this.#consumption.wake();
  }

  /** Brings the held partitions in line with the assignment. A change during a pass causes another pass. */
  reconcile(): Promise<void> {
    if (this.#closing) return Promise.resolve();
    this.#passAgain = true;
    this.#pass ??= this.#reconcileWhileNeeded();
    return this.#pass;
  }

  /** Call when this process was declared dead: others may own its partitions. */
  dropAll(): void {
    for (const held of [...this.#held.values()]) this.#drop(held);
  }

  /** Call when no handler runs. Releases all partitions; those that cannot be released in time are dropped. */
  async close(timeoutMs: number): Promise<void> {
    this.#closing = true;
    this.#timer?.timer.cancel();
    const { clock } = this.#deps.options;
    const deadline = clock.monotonic() + timeoutMs;
    await this.#pass;
    await eachLimited([...this.#held.values()], AT_ONCE, (held) =>
      this.#release(held, Math.max(0, deadline - clock.monotonic())),
    );
    this.dropAll();
  }

  #mayStart(message: QueuedMessage): boolean {
    if (this.#drain.isDraining(message.partition) || !this.#isOwned(message)) return false;
    this.#held.get(message.partition)?.log.started(message);
    return true;
  }

  #isOwned({ partition }: QueuedMessage): boolean {
    const held = this.#held.get(partition);
    const { membership, options } = this.#deps;
    if (!held || held.releasing || !membership.holdsLease()) return false;
    // After a whole lease without a report others may take the partition, although this process is alive.
    const unreportedMs = options.clock.monotonic() - (held.unreportedSince ?? options.clock.monotonic());
    return unreportedMs < options.leaseMs * OWN_SHARE;
  }

  async #reconcileWhileNeeded(): Promise<void> {
    while (this.#passAgain && !this.#closing) {
      this.#passAgain = false;
      this.#passFailed = false;
      try {
        if ((await this.#reconcileOnce()) && !this.#passFailed) this.#deps.schedule.settled(this.name);
      } catch (error) {
        this.#failed(error);
      }
    }
    // Synchronous with the check above, so that a later change starts a new pass.
    this.#pass = undefined;
  }

  /** False without a connection or membership. */
  async #reconcileOnce(): Promise<boolean> {
    const { connector, membership, options, table } = this.#deps;
    const session = connector.current;
    if (!session || !membership.isMember) return false;
    const owners = this.#owners();
    const todo: { partition: number; act: (lastSeq: number) => Promise<void> }[] = [];
    for (let partition = 0; partition < options.partitions; partition++) {
      const held = this.#held.get(partition);
      const isAssignedHere = owners[partition] === membership.id;
      const seen = table.seen(this.name, partition);
      const owner = seen?.record.owner ?? undefined;
      if (!isAssignedHere || !seen || !membership.seesOther(owner, this.name)) this.#unread.delete(partition);
      if (held && seen && seen.revision > held.revision) this.#drop(held);
      if (held && this.#held.has(partition)) {
        if (held.handingOver) continue;
        if (held.releasing) todo.push({ partition, act: () => this.#release(held) });
        else if (!held.isReadOn(session))
          todo.push({ partition, act: (lastSeq) => this.#reopen(session, held, lastSeq) });
        else if (!isAssignedHere) void this.#handOver(held);
      } else if (isAssignedHere) {
        const waits = seen && membership.seesOther(owner, this.name);
        if (!waits || this.#isAbandoned(partition, seen))
          todo.push({
            partition,
            act: (lastSeq) => this.#take(session, partition, lastSeq, waits ? owner : undefined),
          });
      } else if (owner === membership.id)
        todo.push({ partition, act: () => this.#ownership.disown(session, partition) });
    }
    if (todo.length === 0) return true;
    const lastSeq = await this.#ownership.lastSeq();
    await eachLimited(todo, AT_ONCE, async ({ partition, act }) => {
      if (this.#closing) return;
      await act(lastSeq).catch((error) => this.#failed(error, partition));
    });
    return true;
  }

  /** The recorded owner is alive, but has not reported for a whole lease that it reads the partition. */
  #isAbandoned(partition: number, { record, revision }: FoundPartition): boolean {
    const { membership, options } = this.#deps;
    const now = options.clock.monotonic();
    if (membership.reportsReading(record.owner ?? "", this.name, partition)) this.#unread.delete(partition);
    else if (this.#unread.get(partition)?.revision !== revision) this.#unread.set(partition, { revision, since: now });
    return now - (this.#unread.get(partition)?.since ?? now) >= options.leaseMs;
  }

  /** The assignment, cached until the members change. */
  #owners(): readonly (string | undefined)[] {
    const { membership, options } = this.#deps;
    const members = membership.consuming(this.name);
    if (this.#assigned?.members !== members) {
      this.#assigned = { members, owners: assignPartitions(this.name, options.partitions, members) };
    }
    return this.#assigned.owners;
  }

  async #take(session: NatsSession, partition: number, lastSeq: number, abandonedBy?: string): Promise<void> {
    const held = await this.#ownership.take(session, partition, lastSeq, abandonedBy);
    if (!held) return;
    // Another process declared this one dead meanwhile, so any process may take the partition from its former id.
    if (held.record.owner !== this.#deps.membership.id) {
      this.#passAgain = true;
      return;
    }
    this.#held.set(partition, held);
    this.#ownership.read(session, held);
  }

  async #reopen(session: NatsSession, held: HeldPartition, lastSeq: number): Promise<void> {
    const reopened = await this.#ownership.reopen(held, lastSeq);
    if (reopened && this.#held.get(held.partition) === held) this.#ownership.read(session, held);
    else if (!reopened) {
      this.#drop(held);
      this.#passAgain = true;
    }
  }

  /** Releases the partition once no handler runs. If handlers do not end in time, work resumes and it retries later. */
  async #handOver(held: HeldPartition): Promise<void> {
    if (held.handingOver) return;
    held.handingOver = true;
    const { partition } = held;
    const drained = await this.#drain.wait(partition);
    const stillTheirs =
      this.#owners()[partition] !== this.#deps.membership.id && this.#held.get(partition) === held && !this.#closing;
    if (drained && stillTheirs) await this.#release(held).catch((error) => this.#failed(error, partition));
    held.handingOver = false;
    this.#drain.over(partition);
    this.#consumption.wake();
    if (drained || !stillTheirs) return;
    this.#soon(held.handOverPauseMs);
    held.handOverPauseMs = Math.min(held.handOverPauseMs * 2, MAX_HAND_OVER_PAUSE_MS);
  }

  /** If the write fails, the partition stays closed here and a later pass retries it. */
  async #release(held: HeldPartition, timeoutMs?: number): Promise<void> {
    held.releasing = true;
    held.stopReading();
    this.#consumption.forget((message) => message.partition === held.partition);
    await this.#ownership.release(held, timeoutMs).catch((error) => {
      if (!this.#closing) throw error;
      this.#deps.options.logger.warn({ group: this.name, error: messageOf(error) }, "could not release partition");
    });
    if (this.#held.get(held.partition) === held) this.#held.delete(held.partition);
  }

  #drop(held: HeldPartition): void {
    if (this.#held.get(held.partition) !== held) return;
    held.stopReading();
    this.#held.delete(held.partition);
    this.#consumption.forget((message) => message.partition === held.partition);
  }

  #failed(error: unknown, partition?: number): void {
    if (this.#closing || (error instanceof AppError && error.code === "stopped")) return;
    this.#passFailed = true;
    this.#deps.schedule.failed(this.name, error, partition);
  }

  /** One timer for the earliest time, because a pass checks all partitions. */
  #soon(ms: number): void {
    const { clock } = this.#deps.options;
    const at = clock.monotonic() + ms;
    if (this.#closing || (this.#timer && this.#timer.at <= at)) return;
    this.#timer?.timer.cancel();
    const timer = clock.after(ms, () => {
      this.#timer = undefined;
      void this.reconcile();
    });
    this.#timer = { at, timer };
  }
}

/** Share of a lease; the margin covers clocks that run at slightly different speeds. */
const OWN_SHARE = 0.9;
const AT_ONCE = 16;
const LOOK_AGAIN_MS = 300;
const MAX_HAND_OVER_PAUSE_MS = 30_000;

import { entryHeaders } from "../../core/backbone/nats/kv/bucket-entry.ts";
import { consumerName, groupName, natsNames } from "../../core/backbone/nats/nats-names.ts";
import {
  decodePartition,
  encodeLayout,
  LAYOUT_KEY,
  layoutIn,
  type PartitionRecord,
  partitionOf,
} from "../../core/backbone/nats/partitions/index.ts";
import { ack } from "../../core/contract/ports/bus.ts";
import type { Timer } from "../../core/contract/ports/clock.ts";
import { testSubject } from "../contract/test-message.ts";
import { RecordingLogger } from "../fakes/recording-logger.ts";
import { seededRandom } from "./seeded-random.ts";
import type { Scale } from "./simulate.ts";
import { SimulatedProcess, type Version } from "./simulated-process.ts";
import type { Fault } from "./simulated-server.ts";
import { SimulatedServer } from "./simulated-server.ts";
import { SimulatedTime } from "./simulated-time.ts";

const subject = testSubject("scale");
const DURABLE = "scale";
const GROUP = groupName(DURABLE, subject);
const NAMES = natsNames("mooring");
const BUCKET = NAMES.partitionsBucket;

export interface ClusterScale extends Pick<Scale, "seed" | "partitions" | "leaseMs" | "messagesPerSecond"> {
  /** Number of keys; with few keys, several messages of one key wait at the same time. */
  readonly keys?: number;
}

/** One run of a handler. */
interface Run {
  readonly process: SimulatedProcess;
  readonly pauses: number;
  readonly key: string;
}

/** Many processes that share one durable, and the checks of the invariants. */
export class SimulatedCluster {
  readonly #scale: ClusterScale;
  readonly #time = new SimulatedTime();
  readonly #server = new SimulatedServer(this.#time);
  readonly #random: () => number;
  readonly #publisher: SimulatedProcess;
  readonly #processes: SimulatedProcess[] = [];
  /** By partition: its current or last owner, and since when. */
  readonly #owners = new Map<string, { process: string; since: number }>();
  readonly #generations = new Map<string, number>();
  /** By partition: the number of partitions that it was split to. */
  readonly #split = new Map<string, number>();
  readonly #handled = new Set<number>();
  readonly #running = new Set<Run>();
  /** By key, in the order of publication: messages that no handler has ended yet. */
  readonly #unhandled = new Map<string, number[]>();
  readonly #crashedAt = new Map<string, number>();
  readonly #takeOvers = new Map<string, number>();
  #publishing: Timer | undefined;
  #serial = 0;
  published = 0;
  handledAgain = 0;
  moves = 0;
  /**
   * Handlers that began in a process that did not own the partition, while another process ran one, or out of order; records
   * that were overwritten by a stale owner.
   */
  readonly violations: string[] = [];
  /** Collects the logs of all processes. */
  readonly logger = new RecordingLogger();

  constructor(scale: ClusterScale) {
    this.#scale = scale;
    this.#random = seededRandom(scale.seed);
    this.#publisher = this.#process("publisher");
    this.#server.addStream(`KV_${BUCKET}`).watchers.add(({ subject: key, data }) => this.#noteRecord(key, data));
  }

  /** The number that the layout has now. */
  get partitions(): number {
    return this.#counts.at(-1) ?? 0;
  }

  /** The number of partitions that have been split to the current number. */
  get split(): number {
    return [...this.#split.values()].filter((of) => of === this.partitions).length;
  }

  get living(): number {
    return this.#processes.length;
  }

  get handled(): number {
    return this.#handled.size;
  }

  get orphans(): number {
    const living = new Set(this.#processes.map(({ name }) => name));
    const owned = [...this.#owners.values()].filter(({ process }) => living.has(process)).length;
    return this.partitions - owned;
  }

  /** The processes that own at least one partition. */
  get owners(): string[] {
    return [...new Set([...this.#owners.values()].map(({ process }) => process))].sort();
  }

  /** Partitions that are not being read by exactly one process, by the requests that wait at the server. */
  get misread(): string[] {
    return Array.from({ length: this.partitions }, (_, partition) => ({
      partition,
      by: this.#readersOf(partition),
    }))
      .filter(({ by }) => by.length !== 1)
      .map(({ partition, by }) => `partition ${partition} is read by ${by.join(" and ") || "no process"}`);
  }

  /** Decides the fault of each request of a process. Without an argument: no faults. */
  setFaults(faultOf?: (process: string, kind: string, subject?: string) => Fault | undefined): void {
    this.#server.faultOf = (process, kind, of) =>
      process === this.#publisher.name ? undefined : faultOf?.(process, kind, of);
  }

  pass(ms: number): Promise<void> {
    return this.#time.runUntil(this.#time.now + ms);
  }

  /** Requests and messages per second, by kind, while this time passes. */
  trafficOf(ms: number): Promise<Record<string, number>> {
    return this.#growthOf(this.#server.traffic, ms);
  }

  /** Bytes per second of writes, reads and updates of buckets, by kind, while this time passes. */
  bytesOf(ms: number): Promise<Record<string, number>> {
    return this.#growthOf(this.#server.bytes, ms);
  }

  async #growthOf(counts: ReadonlyMap<string, number>, ms: number): Promise<Record<string, number>> {
    const before = new Map(counts);
    await this.pass(ms);
    const perSecond = ([kind, count]: [string, number]): [string, number] => [
      kind,
      Math.round(((count - (before.get(kind) ?? 0)) * 1_000) / ms),
    ];
    return Object.fromEntries([...counts].map(perSecond).filter(([, count]) => count > 0));
  }

  join(version?: Version): void {
    const process = this.#process(`p${++this.#serial}`, version);
    this.#processes.push(process);
    void process.consume(subject, DURABLE, async ({ n }, { id }) => {
      const run = this.#begins(process, id, n);
      await new Promise<void>((resolve) => process.clock.after(MAX_HANDLER_MS * this.#random(), resolve));
      this.#running.delete(run);
      if (this.#handled.has(n)) this.handledAgain++;
      this.#handled.add(n);
      const unhandled = this.#unhandled.get(keyOf(id)) ?? [];
      if (unhandled.includes(n)) unhandled.splice(unhandled.indexOf(n), 1);
      return ack;
    });
  }

  async leave(name?: string): Promise<void> {
    void this.#takeOne(name).leave();
  }

  /** Returns the name of the crashed process. */
  crash(name?: string): string {
    const process = this.#takeOne(name);
    process.crash();
    this.#crashedAt.set(process.name, this.#time.now);
    return process.name;
  }

  /** Suspends a process. The result resumes it. */
  pause(name?: string): () => void {
    const process = this.#named(name);
    process.pause();
    return () => process.resume();
  }

  /** Ends the connection of one process; it cannot connect for this time. */
  disconnect(ms: number, name?: string): void {
    this.#named(name).disconnect(ms);
  }

  /** Deletes the record of a process without its beat, as an operator could. */
  deleteRecordOf(name: string): void {
    const bucket = NAMES.membersBucket;
    const stream = this.#server.stream(`KV_${bucket}`);
    for (const { subject: key } of stream.under(`$KV.${bucket}.>`)) {
      if (key.startsWith(`$KV.${bucket}.${name}-`))
        stream.append(key, Buffer.from(""), entryHeaders({ deletes: true }));
    }
  }

  /** Restarts nothing: one process gets this number of partitions by its configuration. */
  raise(partitions: number, name?: string): void {
    const stream = this.#server.stream(`KV_${BUCKET}`);
    const at = `$KV.${BUCKET}.${LAYOUT_KEY}`;
    if (!stream.last(at)) stream.append(at, encodeLayout({ counts: this.#counts }), entryHeaders({}));
    this.#named(name).raise(partitions);
  }

  /** The time until the last partition of a crashed process had its next owner. */
  takenOverAfter(name: string): number {
    return this.#takeOvers.get(name) ?? 0;
  }

  publishSteadily(): void {
    this.#publishing = this.#time.at(this.#time.now + 1_000 / this.#scale.messagesPerSecond, () => {
      const n = ++this.published;
      const key = `k${Math.floor(this.#random() * (this.#scale.keys ?? MANY_KEYS))}`;
      this.#unhandled.set(key, [...(this.#unhandled.get(key) ?? []), n]);
      void this.#publisher.publish(subject, { n }, `m${n}/${key}`, key);
      this.publishSteadily();
    });
  }

  stopPublishing(): void {
    this.#publishing?.cancel();
  }

  #process(name: string, version: Version = "current"): SimulatedProcess {
    const { partitions, leaseMs } = this.#scale;
    return new SimulatedProcess({
      name,
      server: this.#server,
      time: this.#time,
      random: this.#random,
      partitions,
      leaseMs,
      logger: this.logger,
      version,
    });
  }

  #named(name?: string): SimulatedProcess {
    const named = this.#processes.find((process) => process.name === name);
    return named ?? (this.#processes[this.#anyIndex()] as SimulatedProcess);
  }

  #anyIndex(): number {
    return Math.floor(this.#random() * this.#processes.length);
  }

  #takeOne(name?: string): SimulatedProcess {
    const process = this.#named(name);
    this.#processes.splice(this.#processes.indexOf(process), 1);
    return process;
  }

  /** Checks I1 to I3 by the server's current records. A process that was suspended during its run is exempt from I2. */
  #begins(process: SimulatedProcess, id: string, n: number): Run {
    const key = keyOf(id);
    const partition = this.#partitionOf(key);
    const what = `${process.name} began ${id} of partition ${partition} at ${Math.round(this.#time.now)}`;
    const owner = this.#record(partition)?.owner ?? undefined;
    if (owner === undefined || processOf(owner) !== process.name) this.violations.push(`${what}, owned by ${owner}`);
    for (const run of this.#running) {
      if (run.process === process || (run.key !== key && this.#partitionOf(run.key) !== partition)) continue;
      if (run.process.isRunning && run.process.pauses === run.pauses)
        this.violations.push(`${what}, while ${run.process.name} ran a handler of it`);
    }
    const [oldest] = this.#unhandled.get(key) ?? [];
    if (oldest !== undefined && oldest < n) this.violations.push(`${what}, before m${oldest}/${key}`);
    const run = { process, pauses: process.pauses, key };
    this.#running.add(run);
    return run;
  }

  /** The partition that has the key, by the server's current records. */
  #partitionOf(key: string): number {
    const [first = 1, ...raised] = this.#counts;
    let partition = partitionOf(key, first);
    for (const count of raised) {
      if ((this.#record(partition)?.of ?? first) < count) break;
      partition = partitionOf(key, count);
    }
    return partition;
  }

  get #counts(): readonly number[] {
    const stored = this.#server.stream(`KV_${BUCKET}`).last(`$KV.${BUCKET}.${LAYOUT_KEY}`);
    return layoutIn(stored)?.counts ?? [this.#scale.partitions];
  }

  #record(partition: number): PartitionRecord | undefined {
    const stored = this.#server.stream(`KV_${BUCKET}`).last(`$KV.${BUCKET}.${GROUP}.${partition}`);
    return stored && decodePartition(stored.data);
  }

  #readersOf(partition: number): string[] {
    const { consumers } = this.#server.stream(NAMES.stream(subject.family));
    const generations = this.#record(partition)?.generation ?? 0;
    const names = Array.from({ length: generations }, (_, n) => consumerName(GROUP, partition, n + 1));
    return [...new Set(names.flatMap((name) => [...(consumers.get(name)?.readers ?? [])]))];
  }

  /** Checks I4: each write that names an owner has a new generation, and a write based on an older record loses. */
  #noteRecord(key: string, data: Uint8Array): void {
    if (key.endsWith(".origin") || key.endsWith(`.${LAYOUT_KEY}`)) return;
    const { owner, generation, of = 0 } = decodePartition(data);
    const latest = this.#generations.get(key) ?? 0;
    this.#generations.set(key, generation);
    // A split keeps owner and generation.
    const splits =
      of > (this.#split.get(key) ?? 0) && owner !== null && this.#owners.get(key)?.process === processOf(owner);
    if (of < (this.#split.get(key) ?? 0)) this.violations.push(`${key}: ${owner} took back the split to ${of}`);
    this.#split.set(key, of);
    if (generation < latest || (owner !== null && generation === latest && !splits))
      this.violations.push(`${key}: ${owner} wrote generation ${generation} after ${latest}`);
    if (owner !== null) this.#noteOwner(key, processOf(owner));
  }

  #noteOwner(key: string, process: string): void {
    const before = this.#owners.get(key)?.process;
    this.#owners.set(key, { process, since: this.#time.now });
    if (before === undefined || before === process) return;
    this.moves++;
    const crashedAt = this.#crashedAt.get(before);
    if (crashedAt !== undefined) this.#takeOvers.set(before, this.#time.now - crashedAt);
  }
}

/** A process that was declared dead joins under another id, with the same prefix. */
const processOf = (member: string): string => member.slice(0, member.lastIndexOf("-"));

const keyOf = (id: string): string => id.slice(id.indexOf("/") + 1);

const MANY_KEYS = 100_000;
const MAX_HANDLER_MS = 50;

import { AppError } from "../../../contract/app-error.ts";
import type { ArchivedMessage, ArchiveReader } from "../../archive.ts";
import { markRestore } from "../check-deployment.ts";
import { NatsConnector } from "../connection/nats-connector.ts";
import { type NatsBackboneOptions, type NatsOptions, natsOptions } from "../connection/nats-options.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import { KvBucket } from "../kv/kv-bucket.ts";
import { NatsPublisher } from "../nats-bus.ts";
import { familyIn, groupName, type NatsNames, natsNames } from "../nats-names.ts";
import {
  encodePartition,
  originKey,
  PartitionLayout,
  type PartitionRecord,
  partitionKey,
  partitionOf,
} from "../partitions/index.ts";
import { envelopeHeaders } from "../wire/envelope.ts";
import { publishAcked } from "../wire/jetstream-requests.ts";
import { refuseWhileRunning, streamsOf } from "./live-members.ts";

interface WriteOptions {
  /** Delete what the deployment has stored. */
  readonly force: boolean;
}

/** Fills a deployment that has stored nothing yet, or replaces its data. No process of it may run. */
export const writeDeployment = async (
  given: NatsBackboneOptions,
  archive: ArchiveReader,
  { force }: WriteOptions,
): Promise<void> => {
  const options = natsOptions(given);
  const names = natsNames(options.prefix);
  const connector = new NatsConnector(options, async () => undefined);
  await connector.open();
  try {
    await connector.run("preparing the restore", (session) => prepare(session, names, options, force));
    await new DeploymentWriter(connector, names, options).write(archive);
  } finally {
    await connector.close();
  }
};

const prepare = async (session: NatsSession, names: NatsNames, options: NatsOptions, force: boolean): Promise<void> => {
  await refuseWhileRunning(session, names, options);
  const streams = await streamsOf(session, options.prefix);
  if (streams.length === 0) return;
  if (!force) {
    throw new AppError(
      "conflict",
      `NATS has data with the prefix "${options.prefix}" already: make a backup of it, then use --force to delete it, or choose another nats.prefix`,
    );
  }
  for (const stream of streams) await session.jsm.streams.delete(stream);
};

class DeploymentWriter {
  readonly #connector: NatsConnector;
  readonly #names: NatsNames;
  readonly #options: NatsOptions;
  readonly #publisher: NatsPublisher;
  readonly #buckets = new Map<string, KvBucket>();

  constructor(connector: NatsConnector, names: NatsNames, options: NatsOptions) {
    this.#connector = connector;
    this.#names = names;
    this.#options = options;
    this.#publisher = new NatsPublisher(connector, names, options, new PartitionLayout([options.partitions]));
  }

  async write(archive: ArchiveReader): Promise<void> {
    const partitions = this.#bucket(this.#names.partitionsBucket);
    await markRestore(partitions, this.#options.partitions, true);
    await eachConcurrently(archive.entries(), async ({ collection, key, value, expiresAt }) => {
      await this.#bucket(this.#names.bucket(collection)).write(key, Buffer.from(value), { expiresAt });
    });
    await this.#writeQueues(archive);
    await markRestore(partitions, this.#options.partitions, false);
  }

  /** Messages in their order, then where each durable continues: with the messages that it has not ended. */
  async #writeQueues(archive: ArchiveReader): Promise<void> {
    const open = new Map<string, number[]>();
    for (const message of archive.messages()) {
      const { seq, partition } = await this.#publish(message);
      for (const name of message.openFor) {
        const at = partitionKey(groupName(name, { name: message.subject }), partition);
        open.set(at, [...(open.get(at) ?? []), seq]);
      }
    }
    const partitions = this.#bucket(this.#names.partitionsBucket);
    for (const { subject, name } of archive.durables()) {
      const group = groupName(name, { name: subject });
      const last = await this.#lastSeq(subject);
      const origin = { from: last + 1, durable: name, subject };
      await partitions.write(originKey(group), Buffer.from(JSON.stringify(origin)));
      for (let partition = 0; partition < this.#options.partitions; partition++) {
        const at = partitionKey(group, partition);
        const seqs = open.get(at);
        if (seqs) await partitions.write(at, encodePartition(continuing(seqs, last)));
      }
    }
  }

  async #publish({
    subject,
    id,
    key,
    publishedAt,
    body,
  }: ArchivedMessage): Promise<{ seq: number; partition: number }> {
    const partition = partitionOf(key ?? id, this.#options.partitions);
    const header = envelopeHeaders({ subject, id, key, publishedAt });
    const { seq } = await this.#connector.run(`storing "${id}"`, async (session) => {
      await this.#publisher.ensureStream(session, familyIn(subject));
      return publishAcked(session, `${this.#options.prefix}.${subject}.${partition}`, Buffer.from(body), header);
    });
    return { seq, partition };
  }

  #lastSeq(subject: string): Promise<number> {
    const family = familyIn(subject);
    return this.#connector.run(`looking at ${family}`, async (session) => {
      await this.#publisher.ensureStream(session, family);
      return (await session.lookups.streams.info(this.#names.stream(family))).state.last_seq;
    });
  }

  #bucket(name: string): KvBucket {
    const known = this.#buckets.get(name);
    if (known) return known;
    const bucket = new KvBucket(this.#connector, { name, replicas: this.#options.replicas });
    this.#buckets.set(name, bucket);
    return bucket;
  }
}

/** All messages may have run before. */
const continuing = (open: readonly number[], last: number): PartitionRecord => ({
  owner: null,
  generation: 1,
  from: Math.min(...open),
  doneTo: last,
  open: [...open],
  suspectTo: last,
  suspects: [],
  oldest: 1,
});

const eachConcurrently = async <T>(items: Iterable<T>, act: (item: T) => Promise<void>): Promise<void> => {
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: CONCURRENT_WRITES }, worker));
};

const CONCURRENT_WRITES = 64;

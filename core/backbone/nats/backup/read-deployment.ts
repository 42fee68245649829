import { NatsError } from "nats";
import { AppError } from "../../../contract/app-error.ts";
import type { ArchiveWriter } from "../../archive.ts";
import { natsFault } from "../connection/nats-fault.ts";
import { type NatsBackboneOptions, type NatsOptions, natsOptions } from "../connection/nats-options.ts";
import { dialNats, type NatsSession, shownServers } from "../connection/nats-session.ts";
import { entryOf } from "../kv/bucket-entry.ts";
import { natsNames } from "../nats-names.ts";
import { envelopeOf, publishedAtOf } from "../wire/envelope.ts";
import { scanStream } from "../wire/scan-stream.ts";
import { type BucketWrite, findCut } from "./find-cut.ts";
import { refuseWhileRunning, streamsOf } from "./live-members.ts";
import { type ConsumerFloor, type GroupProgress, groupsOf } from "./open-messages.ts";

interface ReadOptions {
  /** Refuse while a process of the deployment runs: what it writes later would be left behind. */
  readonly isFinal: boolean;
}

/**
 * Copies a deployment as it was at one moment, while its processes run. The copy is what a crash of all processes at
 * that moment would have left. Returns that moment.
 */
export const readDeployment = async (
  given: NatsBackboneOptions,
  archive: ArchiveWriter,
  { isFinal }: ReadOptions,
): Promise<Date> => {
  const options = natsOptions(given);
  const names = natsNames(options.prefix);
  const session = await dialNats(options);
  try {
    if (isFinal) await refuseWhileRunning(session, names, options);
    const all = await streamsOf(session, options.prefix);
    if (all.length === 0) throw nothingStored(options);
    const own = [names.membersBucket, names.beatsBucket, names.healthBucket].map((bucket) => `KV_${bucket}`);
    const partitionsBucket = `KV_${names.partitionsBucket}`;
    const streams = all.filter((name) => !name.startsWith("KV_"));
    const partitions = new Map<string, string>();
    let floors = new Map<string, ConsumerFloor[]>();
    const cut = await findCut({
      session,
      names,
      options,
      buckets: all.filter((name) => name.startsWith("KV_") && !own.includes(name)),
      apply: (write) => {
        if (write.bucket === partitionsBucket) note(partitions, write);
        else copyEntry(archive, options.prefix, write, options.clock.now());
      },
      beforeCut: async () => {
        floors = await floorsOf(session, streams);
      },
    });
    for (const stream of streams) {
      const groups = groupsOf(options.prefix, stream, floors.get(stream) ?? [], partitions);
      await copyMessages(session, stream, { groups, cut, prefix: options.prefix, archive });
    }
    return new Date(cut / 1e6);
  } catch (error) {
    throw error instanceof NatsError ? natsFault(error, "copying the data") : error;
  } finally {
    await session.nc.close();
  }
};

const nothingStored = ({ prefix, servers }: NatsOptions): AppError =>
  new AppError(
    "not-found",
    `NATS at ${shownServers(servers)} has no data with the prefix "${prefix}": check nats.servers and nats.prefix, or nothing has been stored yet`,
  );

const keyOf = ({ message, bucket }: BucketWrite): string => message.subject.slice(`$KV.${bucket.slice(3)}.`.length);
const textOf = (data: Uint8Array): string => Buffer.from(data).toString();

const note = (partitions: Map<string, string>, write: BucketWrite): void => {
  const { data, headers } = write.message;
  const { deleted } = entryOf("", { seq: write.seq, data, header: headers as never });
  if (deleted) partitions.delete(keyOf(write));
  else partitions.set(keyOf(write), textOf(data));
};

const copyEntry = (archive: ArchiveWriter, prefix: string, write: BucketWrite, now: number): void => {
  const collection = write.bucket.slice(`KV_${prefix}_`.length);
  const { data, headers } = write.message;
  const { deleted, expiresAt } = entryOf("", { seq: write.seq, data, header: headers as never });
  const key = keyOf(write);
  if (deleted || (expiresAt !== undefined && expiresAt <= now)) archive.remove(collection, key);
  else archive.put({ collection, key, value: textOf(data), expiresAt });
};

/** Acknowledgements only grow: those before the cut leave no message out. */
const floorsOf = async ({ jsm }: NatsSession, streams: readonly string[]): Promise<Map<string, ConsumerFloor[]>> =>
  new Map(
    await Promise.all(
      streams.map(async (stream) => {
        const found: ConsumerFloor[] = [];
        for await (const { name, config, ack_floor } of jsm.consumers.list(stream)) {
          found.push({ name, floor: ack_floor.stream_seq, filter: config.filter_subject ?? "" });
        }
        return [stream, found] as const;
      }),
    ),
  );

interface MessageCopy {
  readonly groups: readonly GroupProgress[];
  readonly cut: number;
  readonly prefix: string;
  readonly archive: ArchiveWriter;
}

const copyMessages = async (
  session: NatsSession,
  stream: string,
  { groups, cut, prefix, archive }: MessageCopy,
): Promise<void> => {
  for (const { subject, durable: name } of groups) archive.durable({ subject, name });
  const from = Math.min(...groups.flatMap(({ ranges }) => [...ranges.values()].map((range) => range.from)));
  if (!Number.isFinite(from)) return;
  const copy = (message: Parameters<Parameters<typeof scanStream>[4]>[0]) => {
    const { subject, seq, time, storedAt, data, header } = message;
    if (time > cut) return;
    const envelope = envelopeOf(header, seq);
    const key = envelope.key ?? envelope.id;
    const openFor = groups.filter(({ ranges }) => ranges.get(subject)?.isOpen(seq, key)).map(({ durable }) => durable);
    if (openFor.length === 0) return;
    archive.message({
      ...envelope,
      subject: subject.slice(prefix.length + 1, subject.lastIndexOf(".")),
      publishedAt: publishedAtOf(header, storedAt),
      body: textOf(data),
      openFor,
    });
  };
  await scanStream(session, stream, ">", false, copy, from);
};

import { AppError } from "../../../contract/app-error.ts";
import { consumerName, familyIn, groupName, natsNames } from "../nats-names.ts";
import {
  decodePartition,
  GroupOrigin,
  LAYOUT_KEY,
  layoutIn,
  originKey,
  type PartitionRecord,
  partitionKey,
  subPartition,
} from "../partitions/index.ts";

/** The progress of a consumer on the server, read before the cut. */
export interface ConsumerFloor {
  readonly name: string;
  readonly floor: number;
  /** The NATS subject that it reads. */
  readonly filter: string;
}

/** The messages of one NATS subject that a durable has not ended. */
interface OpenRange {
  readonly durable: string;
  readonly isOpen: (seq: number, key: string) => boolean;
  readonly from: number;
}

/** One durable and its ranges by NATS subject. */
export interface GroupProgress {
  readonly durable: string;
  /** The name of the subject, without prefix and partition. */
  readonly subject: string;
  readonly ranges: ReadonlyMap<string, OpenRange>;
}

/**
 * The durables of a stream and their open messages, by the rules of a takeover after a crash: some messages that have
 * ended may run again, and none is left out.
 */
export const groupsOf = (
  prefix: string,
  stream: string,
  consumers: readonly ConsumerFloor[],
  records: ReadonlyMap<string, string>,
): GroupProgress[] => {
  const groups = new Map<string, ConsumerFloor[]>();
  // After a restore, a durable has no consumer until a process has started.
  for (const [key, json] of records) {
    const group = /^(.+)\.origin$/.exec(key)?.[1];
    const subject = group && parsed(GroupOrigin, json)?.subject;
    if (group && subject && natsNames(prefix).stream(familyIn(subject)) === stream) groups.set(group, []);
  }
  for (const consumer of consumers) {
    const parts = /^(.+)_\d+_g\d+$/.exec(consumer.name);
    if (parts?.[1] === undefined) continue;
    groups.set(parts[1], [...(groups.get(parts[1]) ?? []), consumer]);
  }
  return [...groups].map(([group, members]) => progressOf(prefix, group, members, records));
};

const progressOf = (
  prefix: string,
  group: string,
  members: readonly ConsumerFloor[],
  records: ReadonlyMap<string, string>,
): GroupProgress => {
  const filter = members[0]?.filter ?? "";
  const origin = parsed(GroupOrigin, records.get(originKey(group))) ?? { from: 1 };
  const subject = origin.subject ?? filter.slice(prefix.length + 1, filter.lastIndexOf("."));
  const durable = origin.durable ?? nameIn(group, subject);
  const floors = new Map(members.map(({ name, floor }) => [name, floor]));
  const partitions = new GroupPartitions(group, records, floors, origin.from);
  const ranges = new Map<string, OpenRange>();
  // A partition without a consumer has not been taken yet.
  const untaken = partitions.subjects.map((partition) => `${prefix}.${subject}.${partition}`);
  for (const filter of new Set([...members.map((member) => member.filter), ...untaken])) {
    const subject = Number(filter.slice(filter.lastIndexOf(".") + 1));
    const isOpen = (seq: number, key: string) => isOpenIn(partitions.owning(subject, key), seq);
    ranges.set(filter, { durable, from: partitions.firstOpen(subject), isOpen });
  }
  return { durable, subject, ranges };
};

/** Messages before `from` and up to `doneTo` have ended, except `open`. */
interface Ended {
  readonly from: number;
  readonly doneTo: number;
  readonly open: ReadonlySet<number>;
}

type EndedPartition = Ended & Pick<PartitionRecord, "of" | "splits">;

const isOpenIn = ({ from, doneTo, open }: Ended, seq: number): boolean =>
  seq >= from && (seq > doneTo || open.has(seq));

/** The partitions of one durable, and which of them has a key: after a raise several share a subject. */
class GroupPartitions {
  readonly #group: string;
  readonly #records: ReadonlyMap<string, string>;
  readonly #floors: ReadonlyMap<string, number>;
  readonly #origin: number;
  readonly #counts: readonly number[];
  readonly #ended = new Map<number, EndedPartition | undefined>();

  constructor(
    group: string,
    records: ReadonlyMap<string, string>,
    floors: ReadonlyMap<string, number>,
    origin: number,
  ) {
    this.#group = group;
    this.#records = records;
    this.#floors = floors;
    this.#origin = origin;
    this.#counts = layoutIn({ data: Buffer.from(records.get(LAYOUT_KEY) ?? "") })?.counts ?? [];
  }

  /** The partitions that subjects name. */
  get subjects(): readonly number[] {
    return Array.from({ length: this.#counts[0] ?? 0 }, (_, partition) => partition);
  }

  owning(subject: number, key: string): Ended {
    const [wire = 1, ...raised] = this.#counts;
    let owner = subject;
    let ended = this.#endedIn(owner);
    for (const count of raised) {
      if ((ended?.of ?? wire) < count) break;
      const next = subPartition(key, subject, wire, count);
      if (next === owner) continue;
      const atSplit = ended?.splits?.[count];
      ended = this.#endedIn(next) ?? (atSplit && { ...atSplit, open: new Set(atSplit.open), of: count });
      owner = next;
    }
    return ended ?? { from: this.#origin, doneTo: 0, open: new Set() };
  }

  firstOpen(subject: number): number {
    const [wire = 1] = this.#counts;
    const last = this.#counts.at(-1) ?? 1;
    let first = this.#endedIn(subject)?.from ?? this.#origin;
    for (let partition = subject; partition < last; partition += wire) {
      const ended = this.#endedIn(partition);
      const starts = Object.values(ended?.splits ?? {}).map(({ from }) => from);
      first = Math.min(first, ended?.from ?? first, ...starts);
    }
    return first;
  }

  #endedIn(partition: number): EndedPartition | undefined {
    if (!this.#ended.has(partition)) this.#ended.set(partition, this.#read(partition));
    return this.#ended.get(partition);
  }

  /** Undefined without a record: the partition has not been taken yet. */
  #read(partition: number): EndedPartition | undefined {
    const stored = this.#records.get(partitionKey(this.#group, partition));
    if (stored === undefined) return undefined;
    const record = decodePartition(stored);
    const floor = this.#floors.get(consumerName(this.#group, partition, record.generation)) ?? 0;
    return { ...record, from: Math.max(record.from, floor + 1), open: new Set(record.open) };
  }
}

/** A group of version 0.1 has its durable's name in its own, unless that is long. */
const nameIn = (group: string, subject: string): string => {
  const name = group.slice(0, group.lastIndexOf("_", group.length - HASH_LENGTH));
  if (groupName(name, { name: subject }) === group) return name;
  throw new AppError(
    "data-unusable",
    `the group "${group}" was created by version 0.1 and has no full name: export it with a shorter channel name`,
  );
};

const HASH_LENGTH = 16;

const parsed = <T>(schema: { parse(value: unknown): T }, json: string | undefined): T | undefined =>
  json === undefined ? undefined : schema.parse(JSON.parse(json));

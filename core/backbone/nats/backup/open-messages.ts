import { AppError } from "../../../contract/app-error.ts";
import { groupName } from "../nats-names.ts";
import { GroupOrigin, PartitionRecord } from "../partitions/index.ts";

/** The progress of a consumer on the server, read before the cut. */
export interface ConsumerFloor {
  readonly name: string;
  readonly floor: number;
  /** The NATS subject that it reads. */
  readonly filter: string;
}

/** The messages of one partition of a durable that have not ended. */
interface OpenRange {
  readonly durable: string;
  readonly isOpen: (seq: number) => boolean;
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
  consumers: readonly ConsumerFloor[],
  records: ReadonlyMap<string, string>,
): GroupProgress[] => {
  const groups = new Map<string, ConsumerFloor[]>();
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
  const subject = filter.slice(prefix.length + 1, filter.lastIndexOf("."));
  const origin = parsed(GroupOrigin, records.get(`${group}.origin`)) ?? { from: 1 };
  const durable = origin.durable ?? nameIn(group, subject);
  const ranges = new Map<string, OpenRange>();
  for (const { filter } of members) {
    const partition = Number(filter.slice(filter.lastIndexOf(".") + 1));
    const record = parsed(PartitionRecord, records.get(`${group}.${partition}`));
    const current = `${group}_${partition}_g${record?.generation ?? 1}`;
    const floor = members.find(({ name }) => name === current)?.floor ?? 0;
    const from = Math.max(record?.from ?? origin.from, floor + 1);
    const open = new Set(record?.open);
    const isOpen = (seq: number) => seq >= from && (seq > (record?.doneTo ?? 0) || open.has(seq));
    ranges.set(filter, { durable, from, isOpen });
  }
  return { durable, subject, ranges };
};

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

import { z } from "zod";
import { DATA_FORMAT } from "../../../data-format.ts";

/** One consuming process, written when it changes. Versions up to 0.2 rewrite it as their heartbeat. */
export const MemberRecord = z.looseObject({
  groups: z.array(z.string()),
  beat: z.number().int(),
  /** DATA_FORMAT of its version; absent for 0.1.0. */
  format: z.number().int().optional(),
  /** For each of the groups, in their order, the partitions that it reads (encodePartitions). */
  reading: z.array(z.string()).optional(),
  /** The process renews a beat of its own (MemberKeys); absent up to version 0.2. */
  separateBeat: z.boolean().optional(),
});
export type MemberRecord = z.infer<typeof MemberRecord>;

/** The record of this version. `beat` grows with each write. */
export const encodeMember = (groups: readonly string[], reading: string[], beat: number): Uint8Array => {
  const record: MemberRecord = { groups: [...groups], beat, format: DATA_FORMAT, reading, separateBeat: true };
  return Buffer.from(JSON.stringify(record));
};

export const parseMember = (data: Uint8Array): MemberRecord | undefined => {
  try {
    return MemberRecord.parse(JSON.parse(Buffer.from(data).toString()));
  } catch {
    return undefined;
  }
};

/** 0 for a version that does not report it. */
export const formatOfMember = (data: Uint8Array): number => parseMember(data)?.format ?? 0;

/** Versions up to 0.2 cannot split a partition. They have no beat of their own either. */
export const canSplit = (data: Uint8Array): boolean => parseMember(data)?.separateBeat === true;

export const consumes = (data: Uint8Array, group: string): boolean =>
  parseMember(data)?.groups.includes(group) ?? false;

/** True for a record of an old version, which does not report what it reads. */
export const reportsReading = (data: Uint8Array, group: string, partition: number): boolean => {
  const record = parseMember(data);
  if (record === undefined) return false;
  const reading = record.reading?.[record.groups.indexOf(group)];
  return record.reading === undefined || (reading !== undefined && hasPartition(reading, partition));
};

/** Encodes partitions as hexadecimal digits; partition 0 is the highest bit of the first digit. */
export const encodePartitions = (partitions: Iterable<number>, count: number): string => {
  const digits = Array.from({ length: Math.ceil(count / 4) }, () => 0);
  for (const partition of partitions) {
    const digit = partition >> 2;
    if (digit < digits.length) digits[digit] = (digits[digit] ?? 0) | (8 >> (partition & 3));
  }
  return digits.map((digit) => digit.toString(16)).join("");
};

export const hasPartition = (encoded: string, partition: number): boolean =>
  (Number.parseInt(encoded[partition >> 2] ?? "0", 16) & (8 >> (partition & 3))) !== 0;

import { z } from "zod";
import { hasPartition } from "./partition-set.ts";

/** A heartbeat: one consuming process. It lives as long as it rewrites this. */
export const MemberRecord = z.looseObject({
  groups: z.array(z.string()),
  beat: z.number().int(),
  /** For each of the groups, in their order, the partitions that it really reads (partition-set.ts). */
  reading: z.array(z.string()).optional(),
});
export type MemberRecord = z.infer<typeof MemberRecord>;

export const parseMember = (data: Uint8Array): MemberRecord | undefined => {
  try {
    return MemberRecord.parse(JSON.parse(Buffer.from(data).toString()));
  } catch {
    return undefined;
  }
};

export const consumes = (data: Uint8Array, group: string): boolean =>
  parseMember(data)?.groups.includes(group) ?? false;

/** True for a record of a version that does not report what it reads. */
export const reportsReading = (data: Uint8Array, group: string, partition: number): boolean => {
  const record = parseMember(data);
  if (record === undefined) return false;
  const reading = record.reading?.[record.groups.indexOf(group)];
  return record.reading === undefined || (reading !== undefined && hasPartition(reading, partition));
};

import { z } from "zod";

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

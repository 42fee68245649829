import { z } from "zod";

/** One process that consumes. It writes this again and again: as long as the revision moves, it lives. */
export const MemberRecord = z.looseObject({
  groups: z.array(z.string()),
  beat: z.number().int(),
});
export type MemberRecord = z.infer<typeof MemberRecord>;

export const parseMember = (data: Uint8Array): MemberRecord | undefined => {
  try {
    return MemberRecord.parse(JSON.parse(Buffer.from(data).toString()));
  } catch {
    return undefined;
  }
};

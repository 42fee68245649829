import { stableHash } from "./stable-hash.ts";

/**
 * Who should own which partition. Every process computes the same from the same members: each partition goes to the
 * member that scores highest for it and still has room, so shares differ by one at most and few partitions move when a
 * member comes or goes.
 */
export const assignPartitions = (
  group: string,
  partitions: number,
  members: readonly string[],
): (string | undefined)[] => {
  const room = new Map<string, number>();
  const share = Math.floor(partitions / members.length);
  let extra = partitions % members.length;
  for (const member of members) room.set(member, share);
  return Array.from({ length: partitions }, (_, partition) => {
    const ranked = members
      .map((member) => ({ member, score: stableHash(`${member}/${group}/${partition}`) }))
      .sort((a, b) => b.score - a.score || (a.member < b.member ? -1 : 1));
    const chosen =
      ranked.find(({ member }) => hasRoom(room, member)) ??
      ranked.find(({ member }) => room.get(member) === 0 && extra > 0);
    if (chosen === undefined) return undefined;
    const left = room.get(chosen.member) ?? 0;
    if (left <= 0) extra--;
    room.set(chosen.member, left - 1);
    return chosen.member;
  });
};

const hasRoom = (room: ReadonlyMap<string, number>, member: string): boolean => (room.get(member) ?? 0) > 0;

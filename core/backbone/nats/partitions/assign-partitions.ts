import { begunHash, endedHash } from "../stable-hash.ts";

interface Candidate {
  readonly member: string;
  readonly begun: number;
  /** How many partitions it still takes; at 0 it takes one more, as long as some are left over. */
  room: number;
}

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
  const share = Math.floor(partitions / members.length);
  let extra = partitions % members.length;
  const candidates = members.map((member) => ({ member, begun: begunHash(`${member}/${group}/`), room: share }));
  return Array.from({ length: partitions }, (_, partition) => {
    const chosen = best(candidates, partition, 1) ?? (extra > 0 ? best(candidates, partition, 0) : undefined);
    if (chosen === undefined) return undefined;
    if (chosen.room === 0) extra--;
    chosen.room--;
    return chosen.member;
  });
};

/** Of those with so much room or more. Among equals the first by name. */
const best = (candidates: readonly Candidate[], partition: number, room: number): Candidate | undefined => {
  const spelled = String(partition);
  let found: Candidate | undefined;
  let highest = -1;
  for (const candidate of candidates) {
    if (candidate.room < room) continue;
    const score = endedHash(candidate.begun, spelled);
    if (score < highest || (score === highest && found && found.member < candidate.member)) continue;
    found = candidate;
    highest = score;
  }
  return found;
};

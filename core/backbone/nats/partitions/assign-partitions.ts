import { begunHash, endedHash } from "../stable-hash.ts";

interface Candidate {
  readonly member: string;
  readonly begun: number;
  /** Partitions that it still takes; at 0 it takes one more while `extra` ones are left. */
  room: number;
}

/**
 * The owner that each partition should have. All processes compute the same owners from the same members: a partition
 * goes to the member with the highest score that still has room, so shares differ by at most one and few partitions move
 * when a member joins or leaves.
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

/** The highest score among the candidates with at least this much room; of equal scores the first name. */
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

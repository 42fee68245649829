/** The partition of a key. Must never change: all processes and versions have to agree. */
export const partitionOf = (key: string, partitions: number): number => mixed(hashOf(key)) % partitions;

interface Candidate {
  readonly member: string;
  /** Hash state after the member and the group, which all partitions share. */
  readonly prefixHash: number;
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
  const candidates = members.map((member) => ({ member, prefixHash: hashOf(`${member}/${group}/`), room: share }));
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
  const digits = String(partition);
  let found: Candidate | undefined;
  let highest = -1;
  for (const candidate of candidates) {
    if (candidate.room < room) continue;
    const score = mixed(hashOf(digits, candidate.prefixHash));
    if (score < highest || (score === highest && found && found.member < candidate.member)) continue;
    found = candidate;
    highest = score;
  }
  return found;
};

/** FNV-1a, 32 bits; continues from the state after a prefix. */
const hashOf = (text: string, prefixHash = 0x811c9dc5): number => {
  let hash = prefixHash;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
};

/** Spreads similar texts, which FNV-1a alone does not. */
const mixed = (unmixed: number): number => {
  let hash = unmixed;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

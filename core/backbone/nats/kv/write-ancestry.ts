/**
 * The last writes that led to a revision, newest first, in the format of the header. A compare-and-set whose answer was
 * lost may have been stored and overwritten since; its retry then finds its own id here. Kept as one string, because it
 * is rarely parsed; joined into a new string, because a slice of a header would keep the whole header in memory.
 */
export type WriteAncestry = string;

export interface Ancestor {
  readonly writeId: string;
  readonly revision: number;
}

export const descend = (ancestry: WriteAncestry, { writeId, revision }: Ancestor): WriteAncestry =>
  [[writeId, revision].join(":"), ...ancestry.split(",", GENERATIONS - 1)]
    .filter((ancestor) => ancestor !== "")
    .join(",");

/** The revision of the write with this id, if the ancestry contains it. */
export const revisionIn = (ancestry: WriteAncestry, writeId: string): number | undefined => {
  const found = ancestry.split(",").find((ancestor) => ancestor.startsWith(`${writeId}:`));
  return found === undefined ? undefined : Number(found.slice(writeId.length + 1));
};

/** After this many later writes, a write whose answer was lost is no longer found. */
const GENERATIONS = 8;

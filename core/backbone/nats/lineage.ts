/**
 * The last writes that led to a revision, the newest first, as a header spells them. A compare-and-set whose answer was
 * lost may have been carried out and overwritten since: it then finds itself here. Kept as one text, because it is seldom
 * looked into; joined anew, because a piece of a header would hold on to all of it.
 */
export type Lineage = string;

export interface Ancestor {
  readonly writeId: string;
  readonly revision: number;
}

export const descend = (lineage: Lineage, { writeId, revision }: Ancestor): Lineage =>
  [[writeId, revision].join(":"), ...lineage.split(",", GENERATIONS - 1)]
    .filter((ancestor) => ancestor !== "")
    .join(",");

/** The revision of a write that is among them. */
export const revisionIn = (lineage: Lineage, writeId: string): number | undefined => {
  const found = lineage.split(",").find((ancestor) => ancestor.startsWith(`${writeId}:`));
  return found === undefined ? undefined : Number(found.slice(writeId.length + 1));
};

/** As many writes by others may come between a lost answer and the question what became of it. */
const GENERATIONS = 8;

/**
 * The last writes that led to a revision, the newest first. A compare-and-set whose answer was lost may have been carried
 * out and overwritten since: it then finds itself here.
 */
export type Lineage = readonly Ancestor[];

export interface Ancestor {
  readonly writeId: string;
  readonly revision: number;
}

export const descend = (lineage: Lineage, parent: Ancestor): Lineage => [parent, ...lineage].slice(0, GENERATIONS);

export const spellLineage = (lineage: Lineage): string =>
  lineage.map(({ writeId, revision }) => `${writeId}:${revision}`).join(",");

export const parseLineage = (spelled: string): Lineage =>
  spelled
    .split(",")
    .map((ancestor) => ancestor.split(":"))
    .filter(([writeId]) => writeId)
    .map(([writeId = "", revision]) => ({ writeId, revision: Number(revision) }));

/** As many writes by others may come between a lost answer and the question what became of it. */
const GENERATIONS = 8;

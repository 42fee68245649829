import type { Artifacts } from "../contract/subtask.ts";

/** "3 files changed, +45 −12", for people and models. */
export const describeChanges = ({ files, insertions, deletions }: Artifacts): string =>
  `${files} ${files === 1 ? "file" : "files"} changed, +${insertions} −${deletions}`;

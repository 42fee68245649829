import type { Artifacts } from "../contract/subtask.ts";

/** "3 files changed, +45 −12": how a workspace's changes are told, to people and models alike. */
export const describeChanges = ({ files, insertions, deletions }: Artifacts): string =>
  `${files} ${files === 1 ? "file" : "files"} changed, +${insertions} −${deletions}`;

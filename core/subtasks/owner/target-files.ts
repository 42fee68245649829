import { posix } from "node:path";
import type { Member } from "./batch.ts";

type Announced = Pick<Member, "id" | "name" | "targetFiles">;

/** One spelling of a path, so that "./src/a.ts" and "src//a.ts" are the same file. */
export const normalisedPath = (path: string): string =>
  posix
    .normalize(path.trim().replaceAll("\\", "/"))
    .replace(/^(?:\.\/)+/, "")
    .replace(/(?<=.)\/+$/, "");

/** A folder contains its files. */
const sharedPath = (a: string, b: string): string | undefined => {
  if (a === b || b.startsWith(`${a}/`) || a === ".") return b;
  return a.startsWith(`${b}/`) || b === "." ? a : undefined;
};

const MAX_SHOWN = 10;

/** Text about subtasks that announced to change the same files; undefined if there are none. Each pair is named once. */
export const overlapText = (started: readonly Announced[], running: readonly Announced[]): string | undefined => {
  const lines = started.flatMap((one, index) =>
    running
      .filter(({ id }) => id !== one.id && !started.slice(0, index).some((earlier) => earlier.id === id))
      .flatMap((other) => {
        const files = (one.targetFiles ?? []).flatMap((a) =>
          (other.targetFiles ?? []).flatMap((b) => sharedPath(a, b) ?? []),
        );
        return files.length === 0
          ? []
          : [`- ${label(one)} and ${label(other)}: ${[...new Set(files)].slice(0, MAX_SHOWN).join(", ")}`];
      }),
  );
  if (lines.length === 0) return undefined;
  return (
    `These running subtasks change the same files, so their results may conflict:\n${lines.slice(0, MAX_SHOWN).join("\n")}\n` +
    "Cancel one with cancel_subtask, or tell them who changes what with message_subtask."
  );
};

const label = ({ id, name }: Announced): string => `${id} (${name})`;

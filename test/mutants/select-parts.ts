import { posix } from "node:path";
import { projectFiles } from "../setup/project-files.ts";
import { type Part, parts } from "./parts.ts";

export type Selection =
  | { readonly kind: "all" }
  | { readonly kind: "parts"; readonly names: readonly string[] }
  | { readonly kind: "files"; readonly files: readonly string[] };

export interface SelectedPart {
  readonly part: Part;
  readonly files: readonly string[];
}

/** The files that the patterns of a part match. Throws if a pattern, or one name in its braces, matches no file. */
export const filesOf = (patterns: readonly string[], all: readonly string[] = projectFiles()): string[] =>
  patterns.flatMap(alternativesOf).flatMap((pattern) => {
    const found = all.filter((path) => matches(path, pattern));
    if (found.length === 0) throw new Error(`test/mutants/parts.ts: no file matches "${pattern}"`);
    return found;
  });

/** A pattern for each name in the braces, so that a moved file is noticed although its neighbours still match. */
const alternativesOf = (pattern: string): string[] => {
  const [braces, names] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  return braces === undefined || names === undefined
    ? [pattern]
    : names.split(",").map((name) => pattern.replace(braces, () => name));
};

/** Wildcards are possible in the last segment; a segment "**" before it matches any number of folders. */
const matches = (path: string, pattern: string): boolean => {
  const folder = posix.dirname(pattern);
  const isInside = folder.endsWith("/**") ? path.startsWith(folder.slice(0, -2)) : posix.dirname(path) === folder;
  return isInside && posix.matchesGlob(posix.basename(path), posix.basename(pattern));
};

/** The parts to run, each with the files to mutate. */
export const selectParts = (selection: Selection): SelectedPart[] => {
  const all = projectFiles();
  const whole = parts.map((part) => ({ part, files: filesOf(part.mutate, all) }));
  if (selection.kind === "all") return whole;
  if (selection.kind === "files") {
    const selected = new Set(selection.files.map((file) => file.replace(/^\.\//, "")));
    const touched = whole.map(({ part, files }) => ({ part, files: files.filter((file) => selected.has(file)) }));
    return touched.filter(({ files }) => files.length > 0);
  }
  return selection.names.map((name) => {
    const found = whole.find(({ part }) => part.name === name);
    if (!found) throw new Error(`no part is called "${name}": ${parts.map((part) => part.name).join(", ")}`);
    return found;
  });
};

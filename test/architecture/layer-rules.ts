import { importsOf, isTest, type Rule, type SourceFile } from "./source-file.ts";

/** The folders of `core/` from the lowest to the highest. The files of `core/` itself stand above all of them. */
export const coreLayers: readonly string[] = [
  "contract",
  "lib",
  "telemetry",
  "backbone",
  "model",
  "sessions",
  "people",
  "memory",
  "origin",
  "turns",
  "delivery",
  "schedules",
  "workspaces",
  "subtasks",
  "a2a",
  "commands",
  "intake",
];

const product = (files: readonly SourceFile[]) => files.filter((file) => !isTest(file) && file.path.includes("/"));

const layerOf = (path: string): number => {
  const folder = /^core\/([^/]+)\//.exec(path)?.[1];
  return folder === undefined ? coreLayers.length : coreLayers.indexOf(folder);
};

export const layersOnlyDown: Rule = (files) =>
  product(files)
    .filter(({ path }) => path.startsWith("core/"))
    .flatMap((file) => {
      const layer = layerOf(file.path);
      if (layer === -1) return [`${file.path} is in no layer; list its folder in coreLayers`];
      return importsOf(file)
        .filter(({ kind, target }) => kind === "relative" && target.startsWith("core/") && layerOf(target) > layer)
        .map(({ target }) => `${file.path} may not import ${target}, which is in a higher layer`);
    });

/**
 * Each folder counts as one node among its siblings, files and folders alike, and no path of imports, of types or
 * values, leads from a node back to it. Cycles of files alone are another rule's.
 */
export const noFolderCycles: Rule = (files) => {
  const next = new Map<string, Map<string, string>>();
  for (const file of product(files)) {
    for (const { kind, target } of importsOf(file)) {
      if (kind !== "relative") continue;
      const [from, to] = siblings(file.path, target);
      if (from === to) continue;
      const edges = next.get(from) ?? new Map<string, string>();
      next.set(from, edges.set(to, `${file.path} → ${target}`));
    }
  }
  const isFolder = (node: string) => !/\.\w+$/.test(node);
  return [...next.keys()]
    .filter(isFolder)
    .sort()
    .flatMap((folder) => {
      const way = wayBack(next, folder);
      return way === undefined ? [] : [`${folder} is in a cycle: ${way.join(", ")}`];
    });
};

/** The two paths down to the first part in which they differ. */
const siblings = (a: string, b: string): [string, string] => {
  const [left, right] = [a.split("/"), b.split("/")];
  const depth = left.findIndex((part, index) => part !== right[index]) + 1;
  return depth === 0 ? [a, a] : [left.slice(0, depth).join("/"), right.slice(0, depth).join("/")];
};

/** The imports of the shortest way from a node back to itself. */
const wayBack = (next: Map<string, Map<string, string>>, start: string): string[] | undefined => {
  const ways = new Map<string, string[]>([[start, []]]);
  for (const [node, way] of ways) {
    for (const [target, edge] of next.get(node) ?? []) {
      if (target === start) return [...way, edge];
      if (!ways.has(target)) ways.set(target, [...way, edge]);
    }
  }
  return undefined;
};

import { importsOf, isTest, type Rule, type SourceFile } from "./source-file.ts";

/** The folders of `core/` from the lowest to the highest. The files of `core/` itself are above all of them. */
export const coreLayers: readonly string[] = [
  "contract",
  "lib",
  "net",
  "telemetry",
  "backbone",
  "model",
  "sessions",
  "people",
  "rights",
  "budgets",
  "memory",
  "origin",
  "files",
  "tools",
  "turns",
  "delivery",
  "schedules",
  "workspaces",
  "subtasks",
  "a2a",
  "approvals",
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

/** The two paths, each cut after the first segment in which they differ. */
const siblings = (a: string, b: string): [string, string] => {
  const [left, right] = [a.split("/"), b.split("/")];
  const depth = left.findIndex((part, index) => part !== right[index]) + 1;
  return depth === 0 ? [a, a] : [left.slice(0, depth).join("/"), right.slice(0, depth).join("/")];
};

/** The imports of the shortest path from a node back to itself. */
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

/** Folders without a face of their own would have to be imported file by file. */
const MAX_FACE_NAMES = 25;

/** Packages that a start must load only if the configuration needs them. */
const SDK =
  /^(nats|libsql|ai|@ai-sdk\/.+|discord\.js|@slack\/.+|botframework-connector|@azure\/.+|@a2a-js\/sdk(?!\/errors)|@modelcontextprotocol\/sdk|@opentelemetry\/.+)(\/|$)/;

/** A part of the product whose files other folders import only through its `index.ts`. */
const isPart = (folder: string): boolean => /^(core\/(?!contract$)|gateway\/)[^/]+$/.test(folder);

/** Lists whose members are in closed folders: a new member is then its file and a line of the list, no third file. */
const membersOf: readonly [list: string, member: RegExp][] = [["core/agent-tools.ts", /-tools?\.ts$/]];

const isMember = (from: string, target: string): boolean =>
  membersOf.some(([list, member]) => from === list && member.test(target));

/**
 * A folder with an `index.ts` is closed: files outside import its index and nothing else. Schemas may import schemas,
 * and lists their members.
 */
export const throughFacesOnly: Rule = (files) => {
  const faces = new Set(files.map(({ path }) => path).filter((path) => path.endsWith("/index.ts")));
  const closedAround = (target: string, from: string): string | undefined =>
    foldersOf(target).find((folder) => faces.has(`${folder}/index.ts`) && !from.startsWith(`${folder}/`));
  return product(files).flatMap((file) =>
    importsOf(file)
      .filter(({ kind, target }) => {
        if (kind !== "relative") return false;
        const closed = closedAround(target, file.path);
        const isSchema = target.endsWith("/config.ts") && /^config\/|\/config\.ts$/.test(file.path);
        return closed !== undefined && target !== `${closed}/index.ts` && !isSchema && !isMember(file.path, target);
      })
      .map(({ target }) => `${file.path} may not import ${target}, but only its folder's index.ts`),
  );
};

export const everyPartHasAFace: Rule = (files) => {
  const paths = new Set(files.map(({ path }) => path));
  const imported = product(files).flatMap((file) =>
    importsOf(file).flatMap(({ target }) =>
      foldersOf(target).filter((folder) => isPart(folder) && !file.path.startsWith(`${folder}/`)),
    ),
  );
  return [...new Set(imported)]
    .filter((part) => !paths.has(`${part}/index.ts`))
    .map((part) => `${part} has no index.ts`);
};

export const facesAreSmall: Rule = (files) =>
  product(files)
    .filter(({ path }) => path.endsWith("/index.ts"))
    .flatMap((file) => {
      if (/export\s+\*/.test(file.text)) return [`${file.path} exports everything of a file`];
      const names = [...file.text.matchAll(/export\s+(?:type\s+)?\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
        list.split(",").filter((name) => name.trim() !== ""),
      );
      const { length } = names;
      return length > MAX_FACE_NAMES ? [`${file.path} exports ${length} names, more than ${MAX_FACE_NAMES}`] : [];
    });

/** Adapters, drivers inside a part and modules that `import()` loads may use their SDK. */
export const facesLoadNoSdk: Rule = (files) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return product(files)
    .filter(({ path }) => path.endsWith("/index.ts") && isPart(path.slice(0, -"/index.ts".length)))
    .flatMap((face) => {
      const reached = new Set([face.path]);
      for (const path of reached) {
        for (const { kind, target, isLazy, typeOnly } of importsOf(byPath.get(path) ?? face)) {
          if (typeOnly || isLazy) continue;
          if (kind === "package" && SDK.test(target)) return [`${face.path} loads ${target} through ${path}`];
          if (kind === "relative" && byPath.has(target)) reached.add(target);
        }
      }
      return [];
    });
};

/** From the innermost to the outermost. */
const foldersOf = (path: string): string[] => {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("/"));
};

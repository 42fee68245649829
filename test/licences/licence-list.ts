import { z } from "zod";

const Ranges = z.record(z.string(), z.string()).default({});

const Locked = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      license: z.string().optional(),
      link: z.boolean().optional(),
      dependencies: Ranges,
      devDependencies: Ranges,
      optionalDependencies: Ranges,
      peerDependencies: Ranges,
    }),
  ),
});
type Packages = z.infer<typeof Locked>["packages"];

export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression of its package.json; empty if it has none. */
  readonly licence: string;
  /** Used only for building and testing. */
  readonly dev: boolean;
}

/** All packages that the lock file installs, including transitive dependencies. */
export const dependenciesIn = (lockFile: string, tools: readonly string[]): Dependency[] => {
  const { packages } = Locked.parse(JSON.parse(lockFile));
  const shipped = shippedPaths(packages, tools);
  const seen = new Map<string, Dependency>();
  for (const [path, entry] of Object.entries(packages)) {
    if (path === "" || entry.link) continue;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const { version = "", license: licence = "" } = entry;
    const key = `${name} ${version}`;
    const known = seen.get(key);
    seen.set(key, { name, version, licence, dev: !shipped.has(path) && (known?.dev ?? true) });
  }
  return [...seen.values()].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
};

/** The packages that are part of the bundle or installed with it: everything that is not needed by tools alone. */
const shippedPaths = (packages: Packages, tools: readonly string[]): ReadonlySet<string> => {
  const { dependencies = {}, devDependencies = {} } = packages[""] ?? {};
  const roots = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !tools.includes(name));
  const waiting = roots.map((name) => `node_modules/${name}`);
  const reached = new Set<string>();
  for (const path of waiting) {
    const entry = packages[path];
    if (entry === undefined || reached.has(path)) continue;
    reached.add(path);
    const needed = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies };
    waiting.push(...Object.keys(needed).flatMap((name) => pathOf(packages, path, name) ?? []));
  }
  return reached;
};

/** The copy of a package that another one gets: the nearest `node_modules` above it that has one. */
const pathOf = (packages: Packages, from: string, name: string): string | undefined => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in packages) return path;
    if (folder === "") return undefined;
  }
};

/** The page, by licence: first the packages of the product, then those for building and testing only. */
export const licencePage = (dependencies: readonly Dependency[]): string =>
  [
    "# Licences",
    "",
    "Mooring is under the MIT licence (`LICENSE`). These are the packages it is made with, from the lock file. `npm run licences` writes this page; a test fails when it is out of date, or when a package has a licence that is not on the list of accepted ones.",
    "",
    "The build bundles the packages of the product, so an installation has only a few of them; their licences are in `dist/THIRD-PARTY-LICENSES.txt`.",
    "",
    ...section(
      "Packages of the product",
      dependencies.filter(({ dev }) => !dev),
    ),
    ...section(
      "Packages for building and testing only",
      dependencies.filter(({ dev }) => dev),
    ),
  ].join("\n");

const section = (title: string, dependencies: readonly Dependency[]): string[] => {
  const licences = [...new Set(dependencies.map(({ licence }) => licence))].sort(compare);
  const lists = licences.flatMap((licence) => {
    const having = dependencies.filter((dependency) => dependency.licence === licence);
    const names = having.map(({ name, version }) => `${name} ${version}`);
    return [`### ${licence || "none named"} (${having.length})`, "", `${names.join(", ")}`, ""];
  });
  return [`## ${title}`, "", ...lists];
};

/** Compares by code unit, so that the page is the same on every machine. */
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

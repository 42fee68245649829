import { z } from "zod";

const Locked = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
    }),
  ),
});

export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression of its package.json; empty if it has none. */
  readonly licence: string;
  /** Used only for building and testing. */
  readonly dev: boolean;
}

/** All packages that the lock file installs, including transitive dependencies. */
export const dependenciesIn = (lockFile: string): Dependency[] => {
  const seen = new Map<string, Dependency>();
  for (const [path, entry] of Object.entries(Locked.parse(JSON.parse(lockFile)).packages)) {
    if (path === "" || entry.link) continue;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const { version = "", license: licence = "", dev = false } = entry;
    const key = `${name} ${version}`;
    const known = seen.get(key);
    seen.set(key, { name, version, licence, dev: dev && (known?.dev ?? true) });
  }
  return [...seen.values()].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
};

/** The page, by licence: first the packages of the product, then those for building and testing only. */
export const licencePage = (dependencies: readonly Dependency[], bundled: readonly string[]): string => {
  const inProduct = ({ name, dev }: Dependency) => !dev || bundled.includes(name);
  return [
    "# Licences",
    "",
    "Mooring is under the MIT licence (`LICENSE`). These are the packages it is made with, from the lock file. `npm run licences` writes this page; a test fails when it is out of date, or when a package has a licence that is not on the list of accepted ones.",
    "",
    `The pages that browsers load may bundle ${bundled.join(", ")}, so these count as packages of the product.`,
    "",
    ...section("Packages of the product", dependencies.filter(inProduct)),
    ...section(
      "Packages for building and testing only",
      dependencies.filter((dependency) => !inProduct(dependency)),
    ),
  ].join("\n");
};

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

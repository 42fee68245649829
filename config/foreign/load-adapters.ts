import { dirname, isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { resolve as resolvePackage } from "import-meta-resolve";
import { suggest } from "../../core/contract/suggest.ts";
import {
  type AvailableAdapter,
  builtInAdapters,
  type ForeignAdapters,
  oneLine,
  readDefinition,
} from "./foreign-adapter.ts";

type Loaded = { adapter: AvailableAdapter } | { problem: string };

/** A module that waits longer while it loads would hang the start. */
const LOAD_WITHIN_MS = 10_000;
const PATH = /^\.{1,2}[/\\]/;
const PACKAGE = /^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(\/[\w./-]+)?$/i;

/** Loads the adapters that a configuration names and that are not built in, each once. Never rejects. */
export const loadForeignAdapters = async (
  names: readonly string[],
  configFile: string,
  withinMs = LOAD_WITHIN_MS,
): Promise<ForeignAdapters> => {
  const foreign = [...new Set(names)].filter((name) => !builtInAdapters.some((each) => each.name === name));
  const loaded = await Promise.all(
    foreign.map(async (name): Promise<[string, Loaded] | undefined> => {
      const found = moduleOf(name, configFile);
      if (found === undefined) return undefined;
      return [name, "problem" in found ? found : await loadAdapter(name, found.url, withinMs)];
    }),
  );
  return withoutClashes(new Map(loaded.filter((entry) => entry !== undefined)));
};

/** Undefined if the name is neither a path nor a package: then it is reported as an unknown built-in adapter. */
const moduleOf = (name: string, configFile: string): { url: string } | { problem: string } | undefined => {
  const folder = dirname(resolve(configFile));
  if (PATH.test(name) || isAbsolute(name)) return { url: pathToFileURL(resolve(folder, name)).href };
  if (!PACKAGE.test(name)) return undefined;
  try {
    const url = resolvePackage(name, pathToFileURL(resolve(folder, "mooring.yaml")).href);
    if (url.startsWith("file:")) return { url };
  } catch (error) {
    if (!isMissing(error)) return { problem: `could not be resolved: ${oneLine(error)}` };
  }
  return suggest(name, builtIns) === undefined ? { problem: NOT_INSTALLED } : undefined;
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";

const builtIns = builtInAdapters.map(({ name }) => name);
const NOT_INSTALLED = `is neither a built-in adapter (${builtIns.toSorted().join(", ")}) nor a package that is installed in the folder of this file: install it there with npm, or write a path such as ./adapter.js`;

const loadAdapter = async (name: string, module: string, withinMs: number): Promise<Loaded> => {
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<"slow">((done) => {
    timer = setTimeout(() => done("slow"), withinMs);
  });
  try {
    const loaded = await Promise.race([import(module) as Promise<{ readonly default?: unknown }>, tooSlow]);
    if (loaded === "slow") return { problem: `did not load within ${withinMs / 1_000} s` };
    const read = readDefinition(loaded);
    return "problem" in read ? read : { adapter: { name, module, definition: read.definition } };
  } catch (error) {
    return { problem: `could not be loaded: ${oneLine(error)}` };
  } finally {
    clearTimeout(timer);
  }
};

/** The id of an adapter names its channel and its flags in `mooring init`, so two adapters cannot share one. */
const withoutClashes = (loaded: ReadonlyMap<string, Loaded>): ForeignAdapters => {
  const taken = new Map(builtIns.map((id) => [id, "which is built in"]));
  const checked = new Map<string, Loaded>();
  for (const [name, found] of loaded) {
    const id = "adapter" in found ? found.adapter.definition.id : undefined;
    const other = id === undefined ? undefined : taken.get(id);
    if (id !== undefined) taken.set(id, "as another adapter of this file does");
    checked.set(
      name,
      other === undefined ? found : { problem: `has the id "${id}", ${other}: its author must rename it` },
    );
  }
  return checked;
};

import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";

/** The function that the build makes of each file (test/setup/write-scripts.mjs). */
type Wrapped = (
  exports: object,
  require: (id: string) => unknown,
  module: { exports: object },
  load: (name: string) => Promise<object>,
  importModule: (id: string) => Promise<unknown>,
  url: string,
) => void;

/**
 * The scripts of a build, loaded with V8's code cache: parsing and compiling them takes a third of a start (ADR 22). Node
 * 20 has no such cache for modules, so the build makes scripts of them. The cache is beside the build and is as
 * trustworthy as the build. An entry belongs to one size and modification time of its script, and to one version and
 * set of flags of V8.
 */
export class CompiledScripts {
  readonly #folder: string;
  readonly #cacheFolder: string;
  readonly #require: NodeJS.Require;
  readonly #modules = new Map<string, { exports: object }>();
  readonly #notCached: { readonly file: string; readonly script: Script }[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    this.#cacheFolder = join(folder, "compiled", `${process.version}-${process.arch}-${cachedDataVersionTag()}`);
    this.#require = createRequire(join(folder, "scripts.cjs"));
  }

  /** Runs a script at its first use. Returns its exports. */
  load(name: string): object {
    const known = this.#modules.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.#modules.set(name, module);
    const file = join(this.#folder, name);
    const url = pathToFileURL(file).href;
    const run: Wrapped = this.#compile(name, file, url).runInThisContext();
    const load = async (path: string) => this.load(path.slice(2));
    run(
      module.exports,
      (id) => this.#required(id),
      module,
      load,
      (id) => import(id),
      url,
    );
    return module.exports;
  }

  /** Writes the next entry that the cache lacks. Returns false if it has them all, or cannot be written. */
  saveNext(): boolean {
    const entry = this.#notCached.shift();
    if (entry === undefined) return false;
    try {
      // Entries are run as code, so a umask of 0 must not let other users write them.
      mkdirSync(this.#cacheFolder, { recursive: true, mode: 0o755 });
      replaceFile(entry.file, entry.script.createCachedData());
      return true;
    } catch {
      // A read-only installation works without the cache.
      this.#notCached.length = 0;
      return false;
    }
  }

  #compile(name: string, file: string, url: string): Script {
    const { size, mtimeMs } = statSync(file);
    const cached = join(this.#cacheFolder, `${name}-${size}-${Math.floor(mtimeMs / 1_000)}`);
    const cachedData = readIfPresent(cached);
    // Scripts are ASCII: the build escapes all other characters. V8 needs half the memory for them.
    const script = new Script(readFileSync(file, "latin1"), { filename: url, cachedData });
    if (cachedData === undefined || script.cachedDataRejected === true) this.#notCached.push({ file: cached, script });
    return script;
  }

  #required(id: string): unknown {
    return id.startsWith("./") ? this.load(id.slice(2)) : this.#require(id);
  }
}

const readIfPresent = (file: string): Buffer | undefined => {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
};

/** V8 does not verify a checksum of its cache, so a power failure must not leave half a file. */
const replaceFile = (file: string, data: Buffer): void => {
  const temporary = `${file}.${process.pid}`;
  try {
    // A write to a full disk may be short without an error, and writeFileSync goes on until all is written.
    writeFileSync(temporary, data, { mode: 0o644, flush: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
};

import { statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CompiledScripts } from "../../../../gateway/cli/launcher/compiled-scripts.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "compiled-scripts-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes a script as the build does. */
const script = (name: string, body: string): Promise<void> =>
  writeFile(
    join(folder, name),
    `(function (exports, require, module, __load, __import, __url) { "use strict";\n${body}\n})`,
  );

const load = (name = "main.cjs") => new CompiledScripts(folder).load(name);

/** Loads a script as a process does that fills the cache. Returns how many entries it wrote. */
const loadAndSave = (): number => {
  const scripts = new CompiledScripts(folder);
  scripts.load("main.cjs");
  let saved = 0;
  while (scripts.saveNext()) saved++;
  return saved;
};

/** Moves the build: V8 also remembers in memory what it has compiled at an address. */
const elsewhere = async (): Promise<void> => {
  const moved = `${folder}-moved`;
  await rename(folder, moved);
  folder = moved;
};

const entries = async (): Promise<string[]> => {
  const [version = ""] = await readdir(join(folder, "compiled"));
  return readdir(join(folder, "compiled", version));
};

describe("given scripts of a build", () => {
  it("when one is loaded, then it gets its dependencies, Node's modules and its own address", async () => {
    await script("part.cjs", "exports.name = 'part';");
    await script(
      "main.cjs",
      "module.exports = { part: require('./part.cjs').name, join: require('node:path').join('a', 'b'), url: __url };",
    );
    expect(load()).toEqual({ part: "part", join: "a/b", url: pathToFileURL(join(folder, "main.cjs")).href });
  });

  it("when two need each other, then each runs once", async () => {
    await script("main.cjs", "exports.runs = (exports.runs ?? 0) + 1; exports.other = require('./other.cjs');");
    await script("other.cjs", "exports.main = require('./main.cjs');");
    const main = load() as { runs: number; other: { main: unknown } };
    expect(main.runs).toBe(1);
    expect(main.other.main).toBe(main);
  });

  it("when one imports another on demand, then that is loaded later; other addresses are imported by Node", async () => {
    await script("main.cjs", "exports.later = () => __load('./later.cjs'); exports.module = (url) => __import(url);");
    await script("later.cjs", "exports.name = 'later';");
    await writeFile(join(folder, "theirs.mjs"), "export const name = 'theirs';");
    const url = pathToFileURL(join(folder, "theirs.mjs")).href;
    const main = load() as { later(): Promise<object>; module(url: string): Promise<object> };
    expect(await main.later()).toEqual({ name: "later" });
    expect(await main.module(url)).toMatchObject({ name: "theirs" });
  });

  it("when one throws, then the error names its file", async () => {
    await script("main.cjs", "exports.fail = () => { throw new Error('broken'); };");
    const main = load() as { fail(): void };
    const stack = () => {
      try {
        main.fail();
        return "";
      } catch (error) {
        return error instanceof Error ? error.stack : "";
      }
    };
    expect(stack()).toContain(`${pathToFileURL(join(folder, "main.cjs")).href}:2:`);
  });
});

describe("given a code cache", () => {
  it("when a process has filled it, then the next one finds all its entries and runs the same code", async () => {
    await script("part.cjs", "exports.name = 'part';");
    await script("main.cjs", "exports.part = require('./part.cjs').name;");
    expect(loadAndSave()).toBe(2);
    expect((await entries()).toSorted().map((name) => name.replace(/-.*/, ""))).toEqual(["main.cjs", "part.cjs"]);
    await elsewhere();
    expect(loadAndSave(), "nothing is missing").toBe(0);
    expect(load()).toEqual({ part: "part" });
  });

  it("when a script changes without changing its length, then its entry is not used", async () => {
    await script("main.cjs", "exports.say = () => 'one';");
    await utimes(join(folder, "main.cjs"), 1, 1);
    expect(loadAndSave()).toBe(1);
    await script("main.cjs", "exports.say = () => 'two';");
    expect((load() as { say(): string }).say()).toBe("two");
    expect(loadAndSave()).toBe(1);
  });

  it("when an entry is damaged, then the script runs from its source and the entry is written again", async () => {
    await script("main.cjs", "exports.say = () => 'one';");
    expect(loadAndSave()).toBe(1);
    const [version = ""] = await readdir(join(folder, "compiled"));
    const [entry = ""] = await entries();
    await writeFile(join(folder, "compiled", version, entry), "damaged");
    await elsewhere();
    expect(loadAndSave()).toBe(1);
    expect((load() as { say(): string }).say()).toBe("one");
    await elsewhere();
    expect(loadAndSave()).toBe(0);
  });

  it("when new files of the process are writable for everybody, then only its user can write the cache", async () => {
    await script("main.cjs", "exports.say = () => 'one';");
    const before = process.umask(0);
    try {
      expect(loadAndSave()).toBe(1);
    } finally {
      process.umask(before);
    }
    const [version = ""] = await readdir(join(folder, "compiled"));
    const [entry = ""] = await entries();
    const parts = ["compiled", join("compiled", version), join("compiled", version, entry)];
    const writable = parts.filter((part) => (statSync(join(folder, part)).mode & 0o022) !== 0);
    expect(writable).toEqual([]);
  });

  it("when an entry cannot be written, then no part of it is left", async () => {
    await script("main.cjs", "exports.say = () => 'one';");
    expect(loadAndSave()).toBe(1);
    const [version = ""] = await readdir(join(folder, "compiled"));
    const [entry = ""] = await entries();
    await rm(join(folder, "compiled", version, entry));
    await mkdir(join(folder, "compiled", version, entry, "in-its-place"), { recursive: true });
    expect(loadAndSave()).toBe(0);
    expect(await entries()).toEqual([entry]);
  });

  it("when the folder cannot be written, then the scripts run without a cache", async () => {
    await script("part.cjs", "exports.name = 'part';");
    await script("main.cjs", "exports.part = require('./part.cjs').name;");
    // A file in its place: the tests may run as root, which may write everywhere.
    await writeFile(join(folder, "compiled"), "");
    expect(loadAndSave()).toBe(0);
    expect(load()).toEqual({ part: "part" });
    await rm(join(folder, "compiled"));
    await mkdir(join(folder, "compiled"));
    expect(loadAndSave()).toBe(2);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const NAMED_IMPORT = /^(?:import|export)(?: type)? \{([^}]*)\} from "([^"]+)";/gm;

/** The names between braces, without "type" and without local names. */
const namesIn = (list: string): string[] =>
  list
    .split(",")
    .map((name) =>
      name
        .trim()
        .replace(/^type /, "")
        .replace(/ as .*$/, ""),
    )
    .filter((name) => name !== "");

const imports = (path: string) =>
  [...readFileSync(path, "utf8").matchAll(NAMED_IMPORT)].map(([, list = "", from = ""]) => ({
    names: namesIn(list),
    from,
  }));

/** The files of the adapter. */
const sources = (): string[] =>
  readdirSync("adapters/telegram", { recursive: true })
    .map((path) => `adapters/telegram/${path}`)
    .filter((path) => path.endsWith(".ts"));

describe("given the adapter for Telegram, which could stand outside of the tree (C7, C8)", () => {
  it("then it imports nothing of Mooring that mooring/adapter does not export", () => {
    const published = new Set(imports("package/adapter.ts").flatMap(({ names }) => names));
    const files = sources();
    const used = files.flatMap((path) => imports(path).filter(({ from }) => /\/contract\//.test(from)));
    expect(used.length).toBeGreaterThan(20);
    expect(used.flatMap(({ names }) => names).filter((name) => !published.has(name))).toEqual([]);
  });

  it("then it needs no package but zod", () => {
    const files = sources();
    const packages = files
      .flatMap((path) => imports(path).map(({ from }) => from))
      .filter((from) => !from.startsWith("."));
    expect(new Set(packages)).toEqual(new Set(["zod", "node:crypto"]));
  });
});

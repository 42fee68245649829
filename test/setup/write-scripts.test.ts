import { runInThisContext } from "node:vm";
import { transformSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { asRunFunction, escaped, namesOf, scriptOptions, withoutImportCalls } from "./write-scripts.mjs";

/** Runs a module as a script, with functions that report how they were called. */
const run = (source: string, names: readonly string[] = []) => {
  const { code } = transformSync(withoutImportCalls(source, new Set(names)), scriptOptions);
  const script = escaped(code);
  expect(script).toMatch(/^\p{ASCII}*$/u);
  const module = { exports: {} as Record<string, unknown> };
  const load = async (name: string) => ({ loaded: name });
  const importModule = async (name: string) => ({ imported: name });
  const require = (name: string) => ({ join: (...parts: string[]) => `${name}:${parts.join("+")}` });
  // esbuild wrote the script from the sources of this file.
  runInThisContext(script)(module.exports, require, module, load, importModule, "file:///build/main.cjs");
  return module.exports;
};

describe("given a module of a build", () => {
  it("when it becomes a script, then its exports, its dependencies and its address work", () => {
    const exports = run(
      'import { join } from "path"; export const path = join("a", "b"); export const at = import.meta.url;',
    );
    expect(exports).toMatchObject({ path: "path:a+b", at: "file:///build/main.cjs" });
  });

  it("when it imports on demand, then files of the build are loaded and all others imported, but not in texts", async () => {
    const exports = run(
      'export const own = () => import("./chunk.cjs"); export const other = (url) => import(url); export const text = "import(x)";',
      [...namesOf([{ path: "/build/chunk.cjs" } as never])],
    ) as { own(): Promise<object>; other(url: string): Promise<object>; text: string };
    expect(await exports.own()).toEqual({ loaded: "./chunk.cjs" });
    expect(await exports.other("file:///theirs.mjs")).toEqual({ imported: "file:///theirs.mjs" });
    expect(exports.text).toBe("import(x)");
  });

  it.each([
    ["/^mañana$/i", "Mañana"],
    ["/^[äöü“”]+$/", "ü“"],
    ["/^[😀-😎]$/u", "😃"],
  ])("when %s is in it, then the expression still matches %s", (expression, text) => {
    expect((run(`export const found = ${expression};`).found as RegExp).test(text)).toBe(true);
  });

  it("when it has texts of any language, then they stay as they are", () => {
    expect(run('export const text = "mañana 日本 😀"; export const raw = `größer`;')).toMatchObject({
      text: "mañana 日本 😀",
      raw: "größer",
    });
  });

  it("when it assigns to an unknown name, then it fails, as in every module", () => {
    expect(() => run("unknownName = 1; export {};")).toThrow("unknownName is not defined");
  });

  it("when a program waits at its top level, then it becomes a function", async () => {
    const source = asRunFunction(
      'import { join } from "path";\nconst parts = await Promise.resolve(["x"]);\nglobalThis.said = join(...parts);',
    );
    const exports = run(source) as { run(): Promise<void> };
    await exports.run();
    expect(Reflect.get(globalThis, "said")).toBe("path:x");
    Reflect.deleteProperty(globalThis, "said");
  });
});

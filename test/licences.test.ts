import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Dependency } from "./licences/licence-list.ts";
import { dependenciesIn, licencePage } from "./licences/licence-list.ts";
import { tools } from "./licences/tools.ts";
import { projectRoot } from "./setup/project-files.ts";

const read = (file: string) => readFileSync(`${projectRoot}${file}`, "utf8");
const dependencies = dependenciesIn(read("package-lock.json"), tools);

/** Licences under which something may be part of the product: all let it be shipped under any other. */
const AGREED = new Set(["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Unlicense"]);
/** Those of a tool do not reach what is made with it. */
const AGREED_FOR_TOOLS = new Set([...AGREED, "MPL-2.0", "BlueOak-1.0.0", "CC-BY-4.0"]);

/** One of an "or" is enough; of an "and" all are needed. */
const isAgreed = ({ licence, dev }: Dependency): boolean => {
  const agreed = dev ? AGREED_FOR_TOOLS : AGREED;
  const choices = licence.replace(/^\(|\)$/g, "").split(" OR ");
  return choices.some((choice) => choice.split(" AND ").every((one) => agreed.has(one)));
};

describe("given everything that is installed", () => {
  it("then each has a licence that was agreed to", () => {
    expect(dependencies.length).toBeGreaterThan(200);
    expect(dependencies.filter((dependency) => !isAgreed(dependency))).toEqual([]);
  });

  it("then docs/licences.md lists all of it", () => {
    expect(read("docs/licences.md"), "out of date: run npm run licences").toBe(licencePage(dependencies));
  });

  it.each(["core", "adapters", "gateway", "config", "package"])(
    "then the packages that %s imports are listed as shipped",
    (folder) => {
      const sources = readdirSync(`${projectRoot}${folder}`, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => read(`${folder}/${name}`));
      const imported = sources.flatMap((text) =>
        [...text.matchAll(/from "((?:@[^/"]+\/)?[^./"][^/"]*)/g)].map(([, name]) => name ?? ""),
      );
      expect(new Set(imported).size).toBeGreaterThan(0);
      expect([...new Set(imported)].filter((name) => tools.includes(name))).toEqual([]);
    },
  );
});

describe("given a dependency with a licence that is not allowed, then it is reported", () => {
  const dependency = (licence: string, more: Partial<Dependency> = {}) => ({
    name: "x",
    version: "1.0.0",
    licence,
    dev: false,
    ...more,
  });

  it.each(["", "GPL-3.0-only", "MPL-2.0", "SEE LICENSE IN x", "MIT AND GPL-2.0-only"])("%j", (licence) => {
    expect(isAgreed(dependency(licence))).toBe(false);
  });

  it("and a tool's may ask more of its own files, unless it is shipped", () => {
    expect(isAgreed(dependency("MPL-2.0", { dev: true }))).toBe(true);
    expect(isAgreed(dependency("MPL-2.0", { dev: false }))).toBe(false);
    expect(isAgreed(dependency("(MPL-2.0 OR Apache-2.0)", { dev: false }))).toBe(true);
  });
});

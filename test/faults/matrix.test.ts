import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { projectFiles, projectRoot } from "../setup/project-files.ts";
import { matrix } from "./matrix.ts";

const ALL = [...Array.from({ length: 38 }, (_, index) => `F${index + 1}`), "F41"];
const files = new Set(projectFiles());
const read = (file: string) => readFileSync(`${projectRoot}${file}`, "utf8");

describe("given the faults that the product survives", () => {
  it("then each is in the matrix once", () => {
    expect(Object.keys(matrix)).toEqual(ALL);
  });

  it.each(Object.entries(matrix))("then the files in the matrix test %s", (number, { coveredIn }) => {
    expect(coveredIn.length).toBeGreaterThan(0);
    expect(coveredIn.filter((file) => !files.has(file))).toEqual([]);
    // In code, because a comment tests nothing.
    const isNamed = new RegExp(`^(?!\\s*(//|/?\\*)).*\\b${number}\\b`, "m");
    expect(coveredIn.filter((file) => !isNamed.test(read(file)))).toEqual([]);
  });

  it.each(Object.keys(matrix))("then the page on reliability describes the outcome of %s", (number) => {
    expect(read("docs/reliability.md")).toMatch(new RegExp(`^\\| ${number} `, "m"));
  });

  it("when a suite is shared, then a test runs it", () => {
    const shared = [...new Set(Object.values(matrix).flatMap(({ coveredIn }) => coveredIn))].filter(
      (file) => !file.endsWith(".test.ts"),
    );
    const tests = [...files].filter((file) => file.startsWith("test/"));
    const isUsed = (file: string) => {
      const name = file.split("/").at(-1) ?? file;
      return tests.some((test) => test !== file && read(test).includes(`/${name}"`));
    };
    expect(shared.filter((file) => !isUsed(file))).toEqual([]);
  });
});

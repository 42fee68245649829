import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { projectFiles, projectRoot } from "../setup/project-files.ts";

const read = (file: string) => readFileSync(`${projectRoot}${file}`, "utf8");
const SECTION = "Saved round trips";

/** The files in the second column of the table of savers. */
const listed = (): string[] => {
  const section = read("docs/performance.md").split(`### ${SECTION}`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\|[^|]+\| `([^`]+)` +\|/gm)].map(([, file = ""]) => file);
};

it("given code that only saves round trips, then its file says the gain, and the table of measurements lists it", () => {
  const citing = projectFiles().filter(
    (file) => /^(core|gateway|adapters)\/.*\.ts$/.test(file) && read(file).includes(`docs/performance.md, ${SECTION}`),
  );
  expect([...new Set(listed())].sort()).toEqual(citing.sort());
  for (const file of citing) expect(read(file), `${file} says its measured gain`).toMatch(/\d+ %/);
});

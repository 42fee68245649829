import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { SourceFile } from "./architecture/source-file.ts";
import {
  badDefinitions,
  citationsIn,
  REQUIREMENTS_PAGE,
  requirementsIn,
  undefinedCitations,
  untestedRequirements,
} from "./docs/cited-requirements.ts";
import { projectFiles, projectRoot } from "./setup/project-files.ts";

const read = (file: string) => readFileSync(`${projectRoot}${file}`, "utf8");
const page = read(REQUIREMENTS_PAGE);
const files: readonly SourceFile[] = projectFiles()
  .filter((path) =>
    /^(core|gateway|adapters|config|test)\/.*\.(ts|tsx|mts|mjs|js)$|^docs\/.*\.md$|^[A-Z]+\.md$/.test(path),
  )
  .filter((path) => path !== REQUIREMENTS_PAGE)
  .map((path) => ({ path, text: read(path) }));

const file = (path: string, text: string): SourceFile => ({ path, text });
/** Written so that this file does not cite the code itself. */
const cited = (codes: string) => `(${codes})`;
const defined = (code: string, state = "built") => `- **${code}** \`${state}\` Something is true.`;

describe("given the page of requirements and the project's own files", () => {
  it("then requirements and citations are found", () => {
    expect(requirementsIn(page).length).toBeGreaterThan(130);
    expect(files.flatMap(citationsIn).length).toBeGreaterThan(1_000);
  });

  it("then the page defines each requirement once, as built or planned", () => {
    expect(badDefinitions(page)).toEqual([]);
    // An entry in another form would define nothing.
    expect(page.match(/^- /gm)).toHaveLength(requirementsIn(page).length);
  });

  it("then the page defines every requirement that code, tests or docs cite", () => {
    expect(undefinedCitations(page, files)).toEqual([]);
  });

  it("then a test name cites each built requirement", () => {
    expect(untestedRequirements(page, files)).toEqual([]);
  });
});

describe("given a citation of a requirement that the page does not define", () => {
  it.each([
    ["a comment", "core/turns/run-turn.ts", `/** Runs ${cited("Z9")}. */`],
    ["a comment of several lines", "core/turns/run-turn.ts", ` * and again ${cited("O1, Z9")}: once`],
    ["a comment after code", "gateway/server.ts", `run(); // at once ${cited("Z9")}`],
    ["a comment in JSX", "adapters/web/widget/view/icon.tsx", `{/* rendered ${cited("Z9")} */}`],
    ["a test name", "test/core/turns/run-turn.test.ts", `it("when it runs, then it ends ${cited("Z9")}", () => {`],
    ["the name of a table", "test/core/turns/run-turn.test.ts", `])("when %s, then it ends ${cited("Z9")}", () => {`],
    ["a test name on its own line", "test/fuzz/a2a.test.ts", `    "then it is refused ${cited("Z9")}",`],
    ["a template", "test/faults/deaths.ts", `describe(\`given \${name} ${cited("Z9")}\`, () => {`],
    ["a range", "test/faults/deaths.ts", `/** All of them ${cited("Z8–Z9")}. */`],
    ["a document", "docs/page.md", `It happens once ${cited("Z9")}.`],
  ])("when it is in %s, then it is reported with its line", (_, path, text) => {
    const reported = undefinedCitations([defined("O1"), defined("Z8")].join("\n"), [file(path, `\n${text}`)]);
    expect(reported).toEqual([`${path}:2 cites Z9, which docs/requirements.md does not define`]);
  });

  it.each([
    ["a call", "core/turns/run-turn.ts", `run${cited("Z9")};`],
    ["a factor", "core/turns/run-turn.ts", `const area = width * ${cited("Z9")};`],
    ["a string of the product", "core/turns/run-turn.ts", `const key = "Ann ${cited("Z9")}";`],
    ["a value in a test", "test/core/turns/run-turn.test.ts", `const name = "Ann ${cited("Z9")}";`],
    ["a bare code", "test/core/turns/run-turn.test.ts", 'it("when Z9 is pressed, then it opens", () => {'],
    ["code in a document", "docs/page.md", `Write \`${cited("Z9")}\`.\n\`\`\`\n${cited("Z9")}\n\`\`\``],
  ])("when it is only %s, then it is not a citation", (_, path, text) => {
    expect(undefinedCitations("", [file(path, text)])).toEqual([]);
  });
});

describe("given a requirement that is marked as built", () => {
  const comment = file("test/core/turns/run-turn.test.ts", `/** Runs ${cited("O1")}. */`);
  const name = file("test/core/turns/run-turn.test.ts", `it("then it runs ${cited("O1")}", () => {`);

  it("when no test name cites it, then it is reported", () => {
    expect(untestedRequirements(defined("O1"), [comment])).toEqual([
      "docs/requirements.md:1 says that O1 is built, but no test name cites it",
    ]);
  });

  it("when a test name cites it, or it is planned, then it is not", () => {
    expect(untestedRequirements(defined("O1"), [comment, name])).toEqual([]);
    expect(untestedRequirements(defined("O1", "planned"), [comment])).toEqual([]);
  });
});

describe("given a page with a bad definition", () => {
  it.each([
    ["a second definition of a code", [defined("O1"), defined("O1", "planned")], "defines O1 a second time"],
    ["another state", [defined("O2"), defined("O1", "done")], "has the state done"],
  ])("when it has %s, then it is reported", (_, lines, problem) => {
    expect(badDefinitions(lines.join("\n"))).toEqual([`docs/requirements.md:2 ${problem}`]);
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { SourceFile } from "./architecture/source-file.ts";
import { ALLOWED } from "./language/allowed.ts";
import { type Finding, findingsIn, report } from "./language/dialect.ts";
import { projectFiles, projectRoot } from "./setup/project-files.ts";

const files: readonly SourceFile[] = projectFiles()
  .filter((path) => /\.(ts|tsx|mts|mjs|js|md)$/.test(path))
  .map((path) => ({ path, text: readFileSync(`${projectRoot}${path}`, "utf8") }));
const isAllowed = ({ sentence }: Finding) => ALLOWED.some(({ phrase }) => sentence.includes(phrase));
const all = files.flatMap(findingsIn);
const findings = all.filter((finding) => !isAllowed(finding));

describe("given the project's comments, texts, test names and documents", () => {
  it("then they are read", () => {
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(["README.md", "core/start-core.ts"]));
  });

  it("then they are in plain technical English", () => {
    expect(findings.map(report)).toEqual([]);
  });

  it("then every allowed phrase occurs, and has a reason", () => {
    expect(ALLOWED.filter(({ phrase }) => !all.some(({ sentence }) => sentence.includes(phrase)))).toEqual([]);
    expect(ALLOWED.filter(({ reason }) => reason.length < 10)).toEqual([]);
  });
});

const source = (text: string): SourceFile => ({ path: "core/example.ts", text });
const test = (text: string): SourceFile => ({ path: "test/example.test.ts", text });
const page = (text: string): SourceFile => ({ path: "docs/example.md", text });
const linesOf = (file: SourceFile): number[] => findingsIn(file).map(({ line }) => line);

describe("given a sentence that breaks a rule", () => {
  it.each([
    ["a line comment", source("\n// Whoever has the turn ends it.\nrun();")],
    ["a comment after code", source("\nrun(); // nobody waits for it")],
    ["a second line of a line comment", source("// The turn ends here.\n// What is stored stays.\n")],
    ["a doc comment", source("\n/** What is stored twice is one. */")],
    ["a later sentence of a doc comment", source("/** It runs.\n * Who waits is told. */")],
    ["a comment in JSX", source("\n<p>{/* That is shown once. */}</p>")],
    ["a comment after a regular expression", source("const a = /[`'\"]/;\n// The socket is made anew.")],
    ["a comment after a template", source(`const a = \`\${{ b: "}" }.b}\`;\nrun(); // Somebody waits.`)],
    ["an error", source('\nthrow new Error("the host is no address of this machine");')],
    ["a log message", source('\nlog.warn({ id }, "the lease was mended by another process");')],
    ["a joined string", source('const text =\n  "One who left " + "the room is removed.";')],
    ["a template", source(`\nfail(\`nobody has \${name} open\`);`)],
    ["a test name", test('\nit("when a result is late, then nobody waits", () => {});')],
    ["a group of tests", test('\ndescribe("given what a peer wrote", () => {});')],
    ["a name for a table", test('\nit.each([["a", "(b)"]])("when %s ends, then who waits continues", () => {});')],
    ["a name of a row", test('\nit.each([["a text that is no text", 1]])("when %s is sent", () => {});')],
    ["a name of a skipped test", test('\nit.skip("then it is no error", () => {});')],
    ["a paragraph", page("\nDiscord tells once, and waits for nobody.")],
    ["a second line of a paragraph", page("It works\neverywhere. Whatever fails is retried.")],
    ["a heading", page("\n## Who may talk to it")],
    ["a list", page("\n- it shows nothing but the newest entry")],
    ["a table", page("\n| answers that nobody reads |\n| - |")],
  ])("when it is %s, then it is reported with its line", (_, file) => {
    expect(linesOf(file)).toEqual([2]);
  });

  it("then the report has the sentence and the advice", () => {
    expect(findingsIn(page("All is well. It works anew.")).map(report)).toEqual([
      'docs/example.md:1 "It works anew.": write "again", or what is new',
    ]);
  });
});

describe("given plain technical English", () => {
  it.each([
    ["a question", page("## What is Mooring?\n\nWho may see it?")],
    ["an absence", page("There is no API key. The key is no longer valid.")],
    ["a relative clause", source("// Returns what the store has, for the user who asked.")],
    ["a distinction", page("The two can be told apart. Tell the person.")],
    ["a word that contains another", source("// Recommend amendments to the menders' union: renew it.")],
    ["a demonstrative with a noun", source("// That message is stored first.")],
    ["a numeral", source("// One entry per turn.")],
    ["a quotation", source('// Rejects names such as "nobody" and "whoever".')],
    ["code in a comment", source("// `nobody` is the user id 65534.")],
    ["code in a page", page("Run `whoever`:\n\n```\nnobody\n```\n")],
    ["a short string", source('const user = "nobody";')],
    ["an identifier", source("const nobody = whoever.anew;")],
    ["the input of a test", test('await says("nobody told me");')],
    ["a call of a variable", test('await test.says("nobody told me anything");')],
    ["a row of inputs", test('it.each([[1, "nobody told me"]])("when %i is sent", () => {});')],
    ["a table of inputs", test('it.each(["nobody", "is no"])("when %s is sent, then it is answered", () => {});')],
    ["a regular expression", source("const PATTERN = /nobody is no (one)/;")],
    ["an address", source('const page = "https://example.com/nobody"; // the docs')],
  ])("when it is %s, then it is not reported", (_, file) => {
    expect(findingsIn(file)).toEqual([]);
  });
});

import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { anchorsIn, linkedAnchors } from "./docs/link-anchors.ts";
import { namedPaths } from "./docs/named-paths.ts";
import { projectFiles, projectRoot } from "./setup/project-files.ts";

const files = projectFiles();
const documents = files.filter((file) => /^(README|CHANGELOG|CONTRIBUTING)\.md$|^docs\/.*\.md$/.test(file));
const read = (file: string) => readFileSync(`${projectRoot}${file}`, "utf8");
const lineCount = (text: string) => text.trimEnd().split("\n").length;

/** A folder exists if something is in it; a bare file name if some file has it. */
const exists = (named: string): boolean => {
  const plain = named.replace(/\/$/, "");
  if (files.some((file) => file === plain || file.startsWith(`${plain}/`))) return true;
  return !plain.includes("/") && files.some((file) => path.posix.basename(file) === plain);
};

const missingFrom = (document: string, markdown: string): string[] =>
  namedPaths(document, markdown)
    .filter((named) => !exists(named.path))
    .map((named) => `${document}:${named.line} names ${named.path}`);

/** Links to headings that their page does not have; a missing page has no headings. */
const missingAnchors = (document: string, markdown: string, pageText: (page: string) => string): string[] =>
  linkedAnchors(document, markdown)
    .filter(({ page, anchor }) => !anchorsIn(pageText(page)).has(anchor))
    .map(({ page, anchor, line }) => `${document}:${line} links ${page}#${anchor}`);

const readIfPresent = (file: string) => (files.includes(file) ? read(file) : "");

/** The texts of several words in backticks in the first column of tables. */
const quotedMessages = (markdown: string): string[] =>
  [...markdown.matchAll(/^\| (.*?) \| /gm)]
    .flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text))
    .filter((text) => text.includes(" "));

/** Sections of the architecture page that follow one piece of work from file to file. */
const WALKS = ["One Slack message", "One schedule with three subtasks", "One late answer of another agent"];
const MAX_WALK_FILES = 20;

const filesOfSection = (markdown: string, title: string): Set<string> => {
  const section = markdown.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? "";
  const paths = namedPaths("docs/architecture.md", section).map((named) => named.path);
  return new Set(paths.filter((named) => named.endsWith(".ts")));
};

describe("given the project's documents", () => {
  it("then they are found", () => {
    expect(documents).toEqual(expect.arrayContaining(["README.md", "CHANGELOG.md", "docs/architecture.md"]));
  });

  it.each(documents)("then every path that %s names exists", (document) => {
    expect(missingFrom(document, read(document))).toEqual([]);
  });

  it.each(documents)("then every heading that %s links to exists", (document) => {
    expect(missingAnchors(document, read(document), readIfPresent)).toEqual([]);
  });

  it("then together they name many paths", () => {
    expect(documents.flatMap((document) => namedPaths(document, read(document))).length).toBeGreaterThan(30);
  });

  it("then every picture of docs is shown on a page", () => {
    const shown = new Set(
      documents.flatMap((document) => namedPaths(document, read(document))).map(({ path }) => path),
    );
    const pictures = files.filter((file) => file.startsWith("docs/images/"));
    expect(pictures.length).toBeGreaterThan(20);
    expect(pictures.filter((picture) => !shown.has(picture))).toEqual([]);
  });

  it("then the README is short and shows how to run and how to test", () => {
    const readme = read("README.md");
    expect(lineCount(readme)).toBeLessThanOrEqual(120);
    expect(readme).toContain("\nnpm ci && npm start\n");
    expect(readme).toContain("\nnpm ci && npm test\n");
  });

  it("then the README's commands are the package's", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const named = [...read("README.md").matchAll(/npm (?:run ([\w:]+)|(start|test)\b)/g)].map(
      ([, run, own]) => run ?? own,
    );
    expect(named.filter((name) => name !== undefined && !(name in scripts))).toEqual([]);
    expect(new Set(named)).toEqual(new Set(Object.keys(scripts)));
  });

  it("then the index links every page of docs", () => {
    const linked = new Set(namedPaths("docs/README.md", read("docs/README.md")).map((named) => named.path));
    const pages = documents.filter((document) => /^docs\/(?!adr\/|README)/.test(document));
    expect(pages.filter((page) => !linked.has(page))).toEqual([]);
  });

  it("then every type that the glossary names exists", () => {
    const named = [...read("docs/glossary.md").matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, name = ""]) => name);
    const source = files
      .filter((file) => /^(core|gateway|adapters)\/.*\.ts$/.test(file))
      .map(read)
      .join("\n");
    const declared = new Set([...source.matchAll(/\b(?:interface|type|class) (\w+)/g)].map(([, name]) => name));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !declared.has(name))).toEqual([]);
  });

  it("then every message that the troubleshooting page quotes is in the code", () => {
    const source = files
      .filter((file) => /^(core|gateway|adapters|config)\/.*\.tsx?$/.test(file))
      .map(read)
      .join("\n");
    const quoted = quotedMessages(read("docs/troubleshooting.md"));
    expect(quoted.length).toBeGreaterThan(30);
    expect(quoted.filter((message) => !source.includes(message))).toEqual([]);
  });

  it.each(WALKS)('then a reader follows "%s" through at most 20 files', (title) => {
    const files = filesOfSection(read("docs/architecture.md"), title);
    expect(files.size).toBeGreaterThanOrEqual(10);
    expect([...files].slice(MAX_WALK_FILES)).toEqual([]);
  });

  it.each(documents.filter((document) => document.startsWith("docs/adr/")))("then %s is a short record", (document) => {
    const record = read(document);
    expect(path.basename(document)).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
    expect(lineCount(record)).toBeLessThanOrEqual(40);
    expect([...record.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual(["Context", "Decision", "Price"]);
  });

  it("then records are numbered without gaps", () => {
    const numbers = documents.flatMap((document) => /^docs\/adr\/(\d{4})/.exec(document)?.[1] ?? []);
    expect(numbers.map(Number).sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
  });
});

describe("given a document that names a missing path, then it is reported", () => {
  it.each([
    "`core/contract/gone.ts`",
    "`core/gone/`",
    "`adapters/gone/<name>.ts`",
    "`gone.json`",
    "[text](gone.md)",
    "[text](../core/contract/gone.ts#part)",
    "two: `core/contract/ports/bus.ts` and `config/gone.yaml`",
  ])("%s", (text) => {
    expect(missingFrom("docs/page.md", `\n\`\`\`\nfenced\n\`\`\`\n${text}`)).toHaveLength(1);
    expect(missingFrom("docs/page.md", `\n\`\`\`\nfenced\n\`\`\`\n${text}`)[0]).toMatch(
      /^docs\/page\.md:5 names .*gone/,
    );
  });

  it.each([
    "`core/contract/ports/bus.ts`",
    "`core/contract/`",
    "`adapters/<platform>/index.ts`",
    "`bus.ts`",
    "[text](architecture.md)",
    "[text](../LICENSE)",
    "[text](https://example.com/gone.md) [text](#part)",
    "`user.message.<agent>` `npm run check` `@ai-sdk/anthropic` `dist/`",
    "```\n`core/gone.ts`\n```",
  ])("and a document that names existing paths is not: %j", (text) => {
    expect(missingFrom("docs/page.md", text)).toEqual([]);
  });
});

describe("given a link to a heading", () => {
  const page = "# Page\n\n## What is `kept`, and how\n\n## Twice\n\n## Twice\n\n```sh\n# not a heading\n```\n";
  const missing = (link: string) => missingAnchors("docs/own.md", `\n[text](${link})`, () => page);

  it.each(["gone.md#gone", "#gone", "adr/page.md#what-is-kept", "page.md#not-a-heading", "page.md#twice-2"])(
    "when %s is not a heading of its page, then it is reported",
    (link) => {
      expect(missing(link)).toEqual([expect.stringMatching(/^docs\/own\.md:2 links docs\/\S+#\S+$/)]);
    },
  );

  it.each(["page.md#what-is-kept-and-how", "#page", "page.md#twice-1", "page.md", "https://example.com/page.md#gone"])(
    "when %s is one, or leads elsewhere, then it is not reported",
    (link) => {
      expect(missing(link)).toEqual([]);
    },
  );
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Folders whose code writes to people. */
const SPOKEN = ["core", "gateway/relay", "gateway/takeovers", "adapters"];
/** Texts that belong elsewhere: the texts themselves, and the browser's code, which has its own languages. */
const ELSEWHERE = /^(core\/contract\/texts|core\/model\/demo|adapters\/web\/(widget|client|headless|terminal))\//;

/** A sentence given directly to a field that people read, or to a refusal that a person gets. */
const GIVEN =
  /\b(?:markdown|label|finalText|shown|content|answer)(?::| =) *(["`])(?=[^"`]*[A-Za-z]{2,} [A-Za-z])[^"`]*\1/g;
/** A sentence of the agent about itself: no text for operators or models begins so. */
const FIRST_PERSON = /(["`])I (?:am|can|cannot|could|did|do|may|only|read|wrote|have)\b[^"`]*\1/g;

/** Files whose texts are for others, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "core/files/reading/office-text.ts": "kinds of files, for models; `files.kinds` translates those that people read",
  "core/files/reading/sniff.ts": "kinds of files, as above",
  "core/model/providers/a2a.ts": "choices of the wizard, for operators",
  "core/model/providers/demo.ts": "choices of the wizard, for operators",
  "core/model/providers/openai-compatible.ts": "choices of the wizard, for operators",
  "adapters/slack/index.ts": "choices of the wizard, for operators",
  "adapters/teams/index.ts": "choices of the wizard, for operators",
  "adapters/telegram/index.ts": "choices of the wizard, for operators",
  "adapters/web/index.ts": "choices of the wizard, for operators",
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return path.endsWith(".ts") && !ELSEWHERE.test(path) ? [path] : [];
  });

const textsIn = (source: string): string[] =>
  source
    .split("\n")
    .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line))
    .flatMap((line) => [...line.matchAll(GIVEN), ...line.matchAll(FIRST_PERSON)].map(([found]) => found));

describe("given the code that writes to people", () => {
  it("then it has no text of its own: all are in core/contract/texts", () => {
    const found = SPOKEN.flatMap(filesIn).flatMap((path) =>
      textsIn(readFileSync(path, "utf8")).map((text) => ({ path, text })),
    );
    expect(found.filter(({ path }) => !Object.hasOwn(EXCEPTIONS, path))).toEqual([]);
    const needed = new Set(found.map(({ path }) => path));
    expect(Object.keys(EXCEPTIONS).filter((path) => !needed.has(path))).toEqual([]);
  });

  it("when a text is written in code, then it is found", () => {
    expect(textsIn('  return { markdown: "There is nothing here." };')).toHaveLength(1);
    expect(textsIn("  throw new AppError(`I cannot read it.`);")).toHaveLength(1);
    expect(textsIn('  /** "I am a comment." */\n  logger.info({ id }, "message refused");')).toEqual([]);
  });
});

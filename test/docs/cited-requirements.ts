import type { SourceFile } from "../architecture/source-file.ts";

export interface Requirement {
  readonly code: string;
  readonly state: string;
  readonly line: number;
}

export interface Citation {
  readonly code: string;
  readonly line: number;
  readonly in: "comment" | "test name" | "document";
}

export const REQUIREMENTS_PAGE = "docs/requirements.md";

/** "- **O1** `built` …", one per requirement. */
export const requirementsIn = (markdown: string): Requirement[] =>
  markdown.split("\n").flatMap((text, index) => {
    const [, code, state] = /^- \*\*([A-Z]\d{1,2})\*\* `(\w+)` /.exec(text) ?? [];
    return code === undefined || state === undefined ? [] : [{ code, state, line: index + 1 }];
  });

/** "(O1)", "(O1, D3)" or "(B2–B5)". A call such as f(A1) is neither in a comment nor in a test name. */
const CITED = /\(([A-Z]\d{1,2}(?:(?:, |–)[A-Z]\d{1,2})*)\)/g;
const IN_COMMENT = /^\s*\*\s|(?:^|[\s{])\/[/*]/;
const IN_TEST_NAME = /(?:\b(?:it|test|describe)\(|\)\()["'`][^"]*$|^\s*["'`](?:given|when|then|and)\b[^"]*$/;

export const citationsIn = (file: SourceFile): Citation[] =>
  file.path.endsWith(".md") ? inDocument(file.text) : inSource(file);

const inSource = ({ path, text }: SourceFile): Citation[] =>
  citedIn(text.split("\n"), (before) => {
    if (path.startsWith("test/") && IN_TEST_NAME.test(before)) return "test name";
    return IN_COMMENT.test(before) ? "comment" : undefined;
  });

/** Fenced blocks and code in backticks cite nothing. */
const inDocument = (markdown: string): Citation[] => {
  let fenced = false;
  const lines = markdown.split("\n").map((text) => {
    if (/^\s*```/.test(text)) fenced = !fenced;
    return fenced ? "" : text.replace(/`[^`]*`/g, "");
  });
  return citedIn(lines, () => "document");
};

const citedIn = (lines: readonly string[], contextOf: (before: string) => Citation["in"] | undefined): Citation[] =>
  lines.flatMap((text, index) =>
    [...text.matchAll(CITED)].flatMap((match) => {
      const context = contextOf(text.slice(0, match.index));
      if (context === undefined) return [];
      return codesOf(match[1] ?? "").map((code) => ({ code, line: index + 1, in: context }));
    }),
  );

const codesOf = (list: string): string[] =>
  list.split(", ").flatMap((entry) => {
    const [first = "", last = first] = entry.split("–");
    const [from, to] = [Number(first.slice(1)), Number(last.slice(1))];
    return Array.from({ length: Math.max(to - from, 0) + 1 }, (_, step) => `${first[0]}${from + step}`);
  });

/** One line for each citation that the page does not define. */
export const undefinedCitations = (page: string, files: readonly SourceFile[]): string[] => {
  const known = new Set(requirementsIn(page).map(({ code }) => code));
  return files.flatMap((file) =>
    citationsIn(file)
      .filter(({ code }) => !known.has(code))
      .map(({ code, line }) => `${file.path}:${line} cites ${code}, which ${REQUIREMENTS_PAGE} does not define`),
  );
};

/** One line for each built requirement that no test name cites. */
export const untestedRequirements = (page: string, files: readonly SourceFile[]): string[] => {
  const proved = new Set(
    files.flatMap((file) =>
      citationsIn(file).flatMap((citation) => (citation.in === "test name" ? citation.code : [])),
    ),
  );
  return requirementsIn(page)
    .filter(({ code, state }) => state === "built" && !proved.has(code))
    .map(({ code, line }) => `${REQUIREMENTS_PAGE}:${line} says that ${code} is built, but no test name cites it`);
};

/** One line for each second definition of a code, and for each state other than built or planned. */
export const badDefinitions = (page: string): string[] => {
  const requirements = requirementsIn(page);
  return requirements.flatMap(({ code, state, line }, index) => {
    const first = requirements.findIndex((other) => other.code === code);
    if (first < index) return [`${REQUIREMENTS_PAGE}:${line} defines ${code} a second time`];
    return state === "built" || state === "planned" ? [] : [`${REQUIREMENTS_PAGE}:${line} has the state ${state}`];
  });
};

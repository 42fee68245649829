import path from "node:path";

export interface NamedPath {
  /** From the project's root. */
  readonly path: string;
  readonly line: number;
}

const FOLDERS = ["core", "adapters", "gateway", "config", "test", "docs", ".ci"];
const FILE = /^[\w.-]+\.(md|json|ya?ml|ts|mts|mjs)$/;

/** Every path of the project that a document names: in backticks, or as the target of a link. Fenced blocks are skipped. */
export const namedPaths = (document: string, markdown: string): NamedPath[] => {
  let fenced = false;
  return markdown.split("\n").flatMap((text, index) => {
    if (/^\s*```/.test(text)) fenced = !fenced;
    if (fenced) return [];
    const paths = [...inBackticks(text), ...linked(document, text)];
    return paths.map((named) => ({ path: named, line: index + 1 }));
  });
};

/** Keeps only the part before the placeholder of "adapters/<platform>/index.ts". */
const inBackticks = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)]
    .map(([, code = ""]) => code.replace(/^\.\//, ""))
    .filter((code) => !/[\s"'(]/.test(code))
    .filter((code) => FOLDERS.some((folder) => code.startsWith(`${folder}/`)) || FILE.test(code))
    .map((code) => code.replace(/[^/]*[<*{].*$/, ""));

const linked = (document: string, text: string): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target.replace(/#.*$/, ""))
    .filter((target) => target !== "" && !/^[a-z]+:/.test(target))
    .map((target) => path.posix.join(path.posix.dirname(document), target));

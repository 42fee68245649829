import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
} from "yaml";
import { type KeyPath, type Problem, spellPath } from "../problems/problem.ts";
import { scanYaml } from "./scan-yaml.ts";

export interface YamlFile {
  /** Plain maps, lists, text, numbers, booleans and nulls; nothing to rely on if there are problems. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** The line of a path, or of the nearest thing around it that is in the file. */
  lineOf(path: KeyPath): number | undefined;
}

/** Reads one document. */
export const readYaml = (text: string): YamlFile => {
  const { unquoted, tooDeep } = scanYaml(text);
  if (tooDeep !== undefined)
    return broken([{ line: lineAt(text, tooDeep), message: "is nested too deep: flatten it" }]);
  if (unquoted.length > 0) return broken(unquoted.map((offset) => ({ line: lineAt(text, offset), message: UNQUOTED })));

  const lineCounter = new LineCounter();
  // pretty errors would quote the file, and with it a secret
  const document = parseDocument(text, { prettyErrors: false, lineCounter });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    const lost = faults.findIndex(({ code }) => code === "UNEXPECTED_TOKEN");
    // from there on the parser has lost its place, and every token is a fault
    const real = lost === -1 ? faults : faults.slice(0, lost + 1);
    return broken(
      real.map(({ code, pos }) => ({ line: lineCounter.linePos(pos[0]).line, message: syntaxMessage[code] })),
    );
  }
  return readDocument(document, lineCounter);
};

const UNQUOTED = '${…} inside { } or [ ] needs quotes: write "${NAME}"';

const broken = (faults: readonly { line: number; message: string }[]): YamlFile => {
  const seen = new Set<number>();
  // the first fault of a line is the cause, what follows it there the consequence
  const causes = faults.filter(({ line }) => !seen.has(line) && seen.add(line));
  return { value: undefined, problems: causes.map((fault) => ({ path: [], ...fault })), lineOf: () => undefined };
};

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

/** Builds the value from the nodes, not by the library's own conversion, which follows aliases without end. */
const readDocument = (document: Document, lineCounter: LineCounter): YamlFile => {
  const lines = new Map<string, number>();
  const problems: Problem[] = [];

  const note = (node: unknown, path: KeyPath) => {
    if (isNode(node) && node.range) lines.set(spellPath(path), lineCounter.linePos(node.range[0]).line);
  };
  const read = (node: unknown, path: KeyPath): unknown => {
    if (isMap(node)) return readMap(node.items, path);
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        note(item, [...path, index]);
        return read(item, [...path, index]);
      });
    }
    if (isAlias(node)) problems.push({ path, message: "aliases (*name) are not supported: write the value out" });
    return isScalar(node) ? node.value : null;
  };
  const readMap = (pairs: readonly Pair[], path: KeyPath): Record<string, unknown> => {
    const map: Record<string, unknown> = {};
    for (const { key, value } of pairs) {
      const name = isScalar(key) && key.value !== null ? (key.source ?? String(key.value)) : undefined;
      if (name === undefined || name === "__proto__") {
        problems.push({ path, message: "has a key that is no plain text: rename or remove it" });
        continue;
      }
      if (value === null) {
        // not named: it may be the rest of a secret that has a comma in it
        problems.push({ path, message: "has a key without a value: write one, or quotes round a value with a comma" });
        continue;
      }
      const here = [...path, name];
      note(key, here);
      if (Object.hasOwn(map, name)) problems.push({ path: here, message: syntaxMessage.DUPLICATE_KEY });
      map[name] = read(value, here);
    }
    return map;
  };

  const value = read(document.contents, []);
  return { value, problems, lineOf: (path) => nearestLine(lines, path) };
};

const nearestLine = (lines: ReadonlyMap<string, number>, path: KeyPath): number | undefined => {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(spellPath(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return undefined;
};

/** Our words for the library's faults: its own messages may quote the file, and with it a secret. */
const syntaxMessage: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias takes no anchor or tag: write the value out",
  BAD_ALIAS: "this alias cannot be read: write the value out, in quotes if it begins with *",
  BAD_COLLECTION_TYPE: "this tag does not fit its value: remove the tag",
  BAD_DIRECTIVE: "lines that begin with % are not supported: remove this one",
  BAD_DQ_ESCAPE: 'a "\\" in double quotes begins an escape: double it, or use single quotes',
  BAD_INDENT: "the indentation does not fit the lines around it; is a closing bracket missing before it?",
  BAD_PROP_ORDER: "an anchor or tag stands in the wrong place: remove it",
  BAD_SCALAR_START: "a value that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY: 'a value that holds ": " needs quotes, and a nested map a line of its own',
  BLOCK_IN_FLOW: "inside { } or [ ] nothing can be written in indented form: use { } and [ ] throughout",
  DUPLICATE_KEY: "this key is here twice: remove one of them",
  IMPOSSIBLE: "this cannot be read as YAML: write it more simply",
  KEY_OVER_1024_CHARS: "this key is too long; is a quote or a line break missing?",
  MISSING_CHAR: "a closing quote or bracket, a comma or a colon is missing",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line; is a colon or a quote missing?",
  MULTIPLE_ANCHORS: "a value takes one anchor at most: remove the others",
  MULTIPLE_DOCS: 'the file must hold one document: remove the "---" in the middle',
  MULTIPLE_TAGS: "a value takes one tag at most: remove the others",
  NON_STRING_KEY: "a key must be text: put it in quotes",
  RESOURCE_EXHAUSTION: "is nested too deep: flatten it",
  TAB_AS_INDENT: "tabs are not allowed as indentation: use spaces",
  TAG_RESOLVE_FAILED: "tags (!name) are not supported: remove it, or put the value in quotes",
  UNEXPECTED_TOKEN: "this does not belong here; is a quote, a bracket or some indentation missing before it?",
};

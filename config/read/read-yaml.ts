import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  parseDocument,
} from "yaml";
import { type KeyPath, type Problem, spellPath } from "../problems/problem.ts";

interface YamlFile {
  /** Plain maps, lists, strings, numbers, booleans and nulls; meaningless if there are problems. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** The line of a path, or of its nearest ancestor that is in the file. */
  lineOf(path: KeyPath): number | undefined;
}

export const readYaml = (text: string): YamlFile => {
  const { unquoted, tooDeep } = scanYaml(text);
  if (tooDeep !== undefined)
    return broken([{ line: lineAt(text, tooDeep), message: "is nested too deep: flatten it" }]);
  if (unquoted.length > 0) return broken(unquoted.map((offset) => ({ line: lineAt(text, offset), message: UNQUOTED })));

  const lineCounter = new LineCounter();
  // Pretty errors quote the file, which may contain secrets.
  const document = parseDocument(text, { prettyErrors: false, lineCounter });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    const lost = faults.findIndex(({ code }) => code === "UNEXPECTED_TOKEN");
    // After an unexpected token every further token is reported, so the rest is noise.
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
  // Later faults on the same line are consequences of the first.
  const causes = faults.filter(({ line }) => !seen.has(line) && seen.add(line));
  return { value: undefined, problems: causes.map((fault) => ({ path: [], ...fault })), lineOf: () => undefined };
};

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

/** Builds the value from the nodes, because the library's own conversion expands aliases without limit. */
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
        problems.push({ path, message: "has a key that is not plain text: rename or remove it" });
        continue;
      }
      if (value === null) {
        // The key is not shown: it may be the part of a secret that follows a comma.
        problems.push({
          path,
          message: "has a key without a value: add it, or put quotes around a value that contains a comma",
        });
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

/** Replaces the library's own messages, which may quote the file and so a secret. */
const syntaxMessage: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias cannot have an anchor or tag: write the value out",
  BAD_ALIAS: "this alias is not valid: write the value out, in quotes if it begins with *",
  BAD_COLLECTION_TYPE: "this tag does not match its value: remove the tag",
  BAD_DIRECTIVE: "lines that begin with % are not supported: remove this line",
  BAD_DQ_ESCAPE: 'a "\\" in double quotes begins an escape: double it, or use single quotes',
  BAD_INDENT: "the indentation does not match the lines around it; is a closing bracket missing before it?",
  BAD_PROP_ORDER: "an anchor or tag is in the wrong place: remove it",
  BAD_SCALAR_START: "a value that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY: 'a value that contains ": " needs quotes, and a nested map needs its own line',
  BLOCK_IN_FLOW: "indented form is not allowed inside { } or [ ]: use { } and [ ] throughout",
  DUPLICATE_KEY: "duplicate key: remove one of them",
  IMPOSSIBLE: "this is not valid YAML: write it more simply",
  KEY_OVER_1024_CHARS: "this key is too long; is a quote or a line break missing?",
  MISSING_CHAR: "a closing quote or bracket, a comma or a colon is missing",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line; is a colon or a quote missing?",
  MULTIPLE_ANCHORS: "a value can have only one anchor: remove the others",
  MULTIPLE_DOCS: 'the file must contain one document: remove the "---" in the middle',
  MULTIPLE_TAGS: "a value can have only one tag: remove the others",
  NON_STRING_KEY: "a key must be text: put it in quotes",
  RESOURCE_EXHAUSTION: "is nested too deep: flatten it",
  TAB_AS_INDENT: "tabs are not allowed as indentation: use spaces",
  TAG_RESOLVE_FAILED: "tags (!name) are not supported: remove it, or put the value in quotes",
  UNEXPECTED_TOKEN: "unexpected text; is a quote, a bracket or some indentation missing before it?",
};

interface YamlScan {
  /** Offsets of unquoted `${` inside `{ }` or `[ ]`, which YAML reads as the start of a map. */
  readonly unquoted: readonly number[];
  /** Offset of the first value that exceeds a nesting limit. */
  readonly tooDeep: number | undefined;
}

const MAX_FLOW_DEPTH = 50;
const MAX_INDICATORS_IN_LINE = 50;
const MAX_INDENTATION = 200;

const BYTE_ORDER_MARK = "\uFEFF";
/** Tokens that the lexer adds; they have no width in the file. */
const MARKERS = ["\u0002", "\u0018", "\u001f"];
const SCALAR = "\u001f";

/** Scans the tokens before parsing: the parser recurses, so deep nesting would overflow its stack. */
const scanYaml = (text: string): YamlScan => {
  const unquoted: number[] = [];
  let offset = 0;
  let depth = 0;
  let indicators = 0;
  let before: [string, string] = ["", ""];
  for (const token of new Lexer().lex(text)) {
    if (token === "\n") indicators = 0;
    else if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth = Math.max(0, depth - 1);
    else if (depth === 0 && ["-", "?", ":"].includes(token)) indicators++;

    const indentation = before[1] === "\n" && depth === 0 && /^ +$/.test(token) ? token.length : 0;
    if (depth > MAX_FLOW_DEPTH || indicators > MAX_INDICATORS_IN_LINE || indentation > MAX_INDENTATION) {
      return { unquoted, tooDeep: offset };
    }
    if (token === "{" && before[0] === SCALAR && before[1].endsWith("$")) unquoted.push(offset - 1);
    if (!MARKERS.includes(token) && token !== BYTE_ORDER_MARK) offset += token.length;
    before = [before[1], token];
  }
  return { unquoted, tooDeep: undefined };
};

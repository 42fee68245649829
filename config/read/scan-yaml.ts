import { Lexer } from "yaml";

export interface YamlScan {
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
export const scanYaml = (text: string): YamlScan => {
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

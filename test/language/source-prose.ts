import { SyntaxKind } from "typescript/unstable/ast";
import { createScanner } from "typescript/unstable/ast/scanner";
import type { SourceFile } from "../architecture/source-file.ts";
import { type Prose, withoutQuotations } from "./prose.ts";

interface Token {
  readonly kind: SyntaxKind | "string";
  readonly start: number;
  readonly end: number;
  /** The value of a string, else the source text. */
  text: string;
}

/** Comments and test names of every source file; strings of several words outside of tests. */
export const sourceProse = (file: SourceFile): Prose[] => {
  const tokens = tokensOf(file.text);
  const lineAt = lineFinder(file.text);
  const prose = (kind: Prose["kind"], { text, start }: Pick<Token, "text" | "start">): Prose => ({
    kind,
    text: withoutQuotations(text),
    line: lineAt(start),
  });
  const code = tokens.filter((token) => !isComment(token));
  const strings = file.path.startsWith("test/") ? [] : joined(code).filter(({ text }) => isProse(text));
  return [
    ...comments(file.text, tokens).map((comment) => prose("comment", comment)),
    ...strings.map((string) => prose("string", string)),
    ...testNames(code).map((name) => prose("test name", name)),
  ].sort((a, b) => a.line - b.line);
};

const isComment = ({ kind }: Token): boolean =>
  kind === SyntaxKind.SingleLineCommentTrivia || kind === SyntaxKind.MultiLineCommentTrivia;

const isProse = (text: string): boolean => /^[^<]*\p{L}+ \p{L}+[ ,:]/u.test(text);

/** Whether a `/` after this token divides; else it begins a regular expression. */
const isOperand = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind === "string" ||
    token.kind === SyntaxKind.Identifier ||
    token.kind === SyntaxKind.NumericLiteral ||
    [")", "]", "}", "this", "super"].includes(token.text));

/** The scanner alone: a parser would tell templates and regular expressions apart, which takes a stack and a look back. */
const tokensOf = (source: string): Token[] => {
  const scanner = createScanner(false, undefined, source);
  const tokens: Token[] = [];
  const templates: { string: Token; depth: number }[] = [];
  let previous: Token | undefined;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if (kind === SyntaxKind.WhitespaceTrivia || kind === SyntaxKind.NewLineTrivia) continue;
    const template = templates.at(-1);
    if (kind === SyntaxKind.CloseBraceToken && template?.depth === 0) {
      const part = scanner.reScanTemplateToken(false);
      template.string.text += `…${scanner.getTokenValue()}`;
      previous = part === SyntaxKind.TemplateTail ? templates.pop()?.string : undefined;
      continue;
    }
    if (template !== undefined && kind === SyntaxKind.OpenBraceToken) template.depth++;
    if (template !== undefined && kind === SyntaxKind.CloseBraceToken) template.depth--;
    if ((kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) && !isOperand(previous)) {
      kind = scanner.reScanSlashToken();
    }
    // An apostrophe in the text of JSX begins a string that its line does not end.
    if (kind === SyntaxKind.StringLiteral && scanner.isUnterminated()) {
      scanner.resetTokenState(scanner.getTokenStart() + 1);
      continue;
    }
    const isString =
      kind === SyntaxKind.StringLiteral ||
      kind === SyntaxKind.NoSubstitutionTemplateLiteral ||
      kind === SyntaxKind.TemplateHead;
    const token: Token = {
      kind: isString ? "string" : kind,
      start: scanner.getTokenStart(),
      end: scanner.getTokenEnd(),
      text: isString ? scanner.getTokenValue() : scanner.getTokenText(),
    };
    tokens.push(token);
    if (kind === SyntaxKind.TemplateHead) {
      templates.push({ string: token, depth: 0 });
      previous = undefined;
    } else if (!isComment(token)) {
      previous = token;
    }
  }
  return tokens;
};

/** Comments without their marks; those on lines of their own that follow each other are one text. */
const comments = (source: string, tokens: readonly Token[]): Pick<Token, "text" | "start">[] => {
  const texts: { text: string; start: number; end: number }[] = [];
  for (const { kind, start, end, text } of tokens.filter(isComment)) {
    const isLine = kind === SyntaxKind.SingleLineCommentTrivia;
    const plain = isLine ? text.replace(/^\/\/+/, "") : text.replace(/^\/\*+|\*+\/$/g, "").replace(/^[ \t]*\*/gm, "");
    const before = texts.at(-1);
    if (isLine && before !== undefined && /^\n[ \t]*$/.test(source.slice(before.end, start))) {
      before.text += `\n${plain}`;
      before.end = end;
    } else {
      texts.push({ text: plain, start, end });
    }
  }
  return texts;
};

/** Strings, with those that a "+" joins as one. */
const joined = (code: readonly Token[]): Pick<Token, "text" | "start">[] => {
  const strings: { text: string; start: number }[] = [];
  code.forEach(({ kind, text, start }, index) => {
    if (kind !== "string") return;
    const before = strings.at(-1);
    if (before !== undefined && code[index - 1]?.text === "+" && code[index - 2]?.kind === "string")
      before.text += text;
    else strings.push({ text, start });
  });
  return strings;
};

const MODIFIER = /^(skip|only|each|for|todo|fails|concurrent|sequential|skipIf|runIf)$/;

/** The first argument of `describe`, `it` and `test`, also after `.skip` and the like, and the names of rows of `.each`. */
const testNames = (code: readonly Token[]): Token[] =>
  code.flatMap((token, index) => {
    if (!/^(describe|it|test)$/.test(token.text) || token.kind === "string" || code[index - 1]?.text === ".") return [];
    let at = index + 1;
    while (code[at]?.text === "." && MODIFIER.test(code[at + 1]?.text ?? "")) at += 2;
    const names: Token[] = [];
    while (code[at]?.text === "(") {
      const argument = code[at + 1];
      if (argument?.kind === "string") return [...names, argument];
      const end = afterBracket(code, at);
      names.push(...rowNames(code.slice(at, end)));
      at = end;
    }
    return names;
  });

/** The first string of each row of a table, if it has several words. */
const rowNames = (code: readonly Token[]): Token[] => {
  let depth = 0;
  return code.flatMap((token, index) => {
    if (token.kind === "string") {
      return depth === 3 && code[index - 1]?.text === "[" && isProse(token.text) ? [token] : [];
    }
    if (/^[([{]$/.test(token.text)) depth++;
    if (/^[)\]}]$/.test(token.text)) depth--;
    return [];
  });
};

const afterBracket = (code: readonly Token[], open: number): number => {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at]?.kind === "string") continue;
    if (code[at]?.text === "(") depth++;
    if (code[at]?.text === ")" && --depth === 0) return at + 1;
  }
  return code.length;
};

const lineFinder = (source: string): ((offset: number) => number) => {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
};

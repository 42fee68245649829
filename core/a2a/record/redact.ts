import type { Tool } from "../../contract/tool.ts";

type Tools = readonly Pick<Tool, "name" | "internal">[];

/** Ids, memory keys and parameters of tools. */
const INTERNAL = [
  "call-[0-9a-f]{12}",
  "subtask-[0-9a-f]{8}",
  // Not within a longer path or an address, which belong to the answer.
  "(?<![\\w./-])(?:focus|notifications)/[\\w./:-]+",
  "task_delegate",
  "msg_type",
  "a2a_\\w+",
];

const patterns = new WeakMap<Tools, RegExp>();

/**
 * Includes the quotes, brackets and the noun around the name. A match begins only at the start of a run of blanks or
 * brackets: a match at each position of a long run would be quadratic.
 */
const patternFor = (tools: Tools): RegExp => {
  const names = tools.filter(({ internal }) => internal).map(({ name }) => name);
  return new RegExp(
    `(?:(?<![ \\t])[ \\t]+|(?<![ \\t(["'\`“]))(?:\\b(?:the )?(?:task|call|note|tool|id|focus entry|focus item)s?:? )?[(\\["'\`“]*(?:\\b|(?<=\`))(?:${[...INTERNAL, ...names].join("|")})\\b[)\\]"'\`”]*`,
    "gi",
  );
};

const cachedPattern = (tools: Tools): RegExp => {
  const pattern = patterns.get(tools) ?? patternFor(tools);
  patterns.set(tools, pattern);
  return pattern;
};

/** Code blocks belong to the answer and stay unchanged. */
const FENCED = /(^```[\s\S]*?^```)/m;

/** Removes internal names from text about another agent's answer (A6), and lines that are empty without them. */
export const redactInternalIds = (text: string, tools: Tools): string =>
  text
    .split(FENCED)
    .map((part) => (part.startsWith("```") ? part : cleaned(part, cachedPattern(tools))))
    .join("")
    .trim();

const cleaned = (part: string, pattern: RegExp): string =>
  part
    .split("\n")
    .flatMap((line) => {
      const rest = line.replace(pattern, "");
      if (rest === line) return [line];
      return (rest.match(/\p{L}+/gu)?.length ?? 0) < MIN_WORDS ? [] : [tidied(rest)];
    })
    .join("\n");

/** A line with fewer words is a remnant such as "… done" or "Cleared …". */
const MIN_WORDS = 3;

const tidied = (line: string): string => line.replace(/(?<! ) +([.,;:!?])/g, "$1").replace(/(\S) {2,}/g, "$1 ");

/** Applied before the addresses, because an address pattern could leave half of a secret. */
const SECRETS = [
  /\b(?:bearer|basic)\s+[\w.~+/=-]{6,}/gi,
  /\b(?:authorization|x-api-key|api[-_ ]?key|token|secret|password)["']?\s*[=:]\s*["']?[^\s"',;]+/gi,
  /\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}\b/g,
];

const ADDRESSES = [
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]+/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  // At least "::" or four colons: "12:30:45" is a time.
  /\[?(?:(?:[0-9a-f]{1,4}:){1,7}:|::|(?:[0-9a-f]{1,4}:){4,7})(?:[0-9a-f:.]*[0-9a-f])?\]?(?::\d+)?/gi,
  /\b[a-z][\w-]*(?:\.[\w-]+)+:\d{2,5}\b/gi,
  /\b[a-z][\w-]*:\d{4,5}\b/gi,
];

const STACK_LINE = /^\s+at .*$\n?/gm;

/** Removes addresses, secrets and stack traces from a remote agent's failure reason. */
export const redactAddresses = (text: string): string => {
  let left = text.replace(STACK_LINE, "");
  for (const pattern of SECRETS) left = left.replace(pattern, "[removed]");
  for (const pattern of ADDRESSES) left = left.replace(pattern, "[address]");
  return left.trim();
};

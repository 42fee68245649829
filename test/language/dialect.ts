import type { SourceFile } from "../architecture/source-file.ts";
import { documentProse } from "./document-prose.ts";
import { type Prose, sentencesOf } from "./prose.ts";
import { sourceProse } from "./source-prose.ts";

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly sentence: string;
  readonly advice: string;
}

interface Rule {
  readonly pattern: RegExp;
  readonly advice: string;
  /** All kinds if left out. */
  readonly kinds?: readonly Prose["kind"][];
}

const RELATIVE = "What|Whatever|Who|Whom|Whose|Whoever";

const RULES: readonly Rule[] = [
  { pattern: /\bwhoever\b/i, advice: "name the subject: the process that …, the user who …, the caller" },
  { pattern: /\bnobody\b/i, advice: "name the subject: no user, no process, no client" },
  { pattern: /\bsomebody\b/i, advice: "name the subject: a user, a person, another process" },
  { pattern: /\banew\b/i, advice: 'write "again", or what is new' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, advice: 'write "fix", "repair" or "correct"' },
  { pattern: /\bwhatever\b/i, advice: 'write "any …", "regardless of …", or name the values' },
  { pattern: /\bnothing but\b/i, advice: 'write "only"' },
  { pattern: /\b(?:is|are|was|were|be|been|being) told\b(?! apart)/i, advice: 'write "is notified", "gets an error"' },
  { pattern: /\b(?:hears?|heard)\b/i, advice: 'write "receives", "accepts" or "learns"' },
  { pattern: /\b(?:given|gives?|gave) up\b/i, advice: 'write "becomes a dead letter", "stops retrying" or "releases"' },
  { pattern: /\bput back\b/i, advice: 'write "retried"' },
  {
    pattern: /(?<!\b[Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|earlier\b|later\b)\p{L}/u,
    advice: 'write "is not a …"; "there is no …" is fine',
  },
  {
    pattern: new RegExp(`^(?:${RELATIVE})\\b(?!.*\\?["')]*$)`),
    advice: "begin with a noun: the results that …, the user who …; a question ends with a question mark",
    kinds: ["comment", "string", "document"],
  },
  {
    pattern: new RegExp(`(?:^|, )(?:given|when|then) (?:${RELATIVE.toLowerCase()})\\b`),
    advice: "begin the clause with a noun: then the results that …, when a user who …",
    kinds: ["test name"],
  },
  {
    pattern: /^One(?: (?:who|that|which|whose)\b|'s\b)/,
    advice: "begin with a noun instead of One",
  },
  {
    pattern: /^That (?:is|was|has|had|can|could|may|must|would|will|does|[a-z]+s) /,
    advice: "begin with a noun: that message …, this limit …",
    kinds: ["comment", "document"],
  },
];

/** Every sentence of a file that breaks a rule, with the advice of the first one. */
export const findingsIn = (file: SourceFile): Finding[] => {
  const prose = file.path.endsWith(".md") ? documentProse(file.text) : sourceProse(file);
  return prose.flatMap(({ kind, ...text }) =>
    sentencesOf(text).flatMap(({ text: sentence, line }) => {
      const broken = RULES.find(({ pattern, kinds }) => (kinds?.includes(kind) ?? true) && pattern.test(sentence));
      return broken === undefined ? [] : [{ path: file.path, line, sentence, advice: broken.advice }];
    }),
  );
};

export const report = ({ path, line, sentence, advice }: Finding): string => `${path}:${line} "${sentence}": ${advice}`;

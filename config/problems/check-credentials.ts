import { hash } from "node:crypto";
import { z } from "zod";
import type { KeyPath, Problem } from "./problem.ts";

/** Longer than a caller's: an operator may do everything, a calling agent only what its entry allows. */
const MIN_OPERATOR_TOKEN = 20;
const MIN_CALLER_SECRET = 16;
const MIN_DIFFERENT = 6;
/** Characters that must remain after well-known words are removed. */
const MIN_UNKNOWN = 6;
const ADVICE = "generate one with `openssl rand -base64 32`";

const WORDS = [
  ...["password", "passwort", "passwd", "passphrase", "changeme", "change", "secret", "token", "apikey", "bearer"],
  ...["administrator", "admin", "operator", "platform", "mooring", "gateway", "default", "example", "sample", "dummy"],
  ...["testing", "test", "letmein", "welcome", "qwerty", "qwertz", "iloveyou", "monkey", "dragon", "please"],
  ...["replace", "your", "here", "todo", "none", "null", "undefined", "root", "user", "guest", "demo", "prod"],
];
/** Typical mistakes of scripts: an unset variable, or its name instead of its value. */
const MISTAKES = ["", "$TOKEN", `\${TOKEN}`, "TOKEN", "true", "false", "1234", "12345678", "123456789", "1234567890"];

const text = z.string().optional().catch(undefined);

/** The credentials that clients sign in with. Everything else passes, so that this check also runs on invalid files. */
const Outline = z.object({
  admin: z.object({ tokens: z.array(z.object({ token: text }).catch({})).catch([]) }).catch({ tokens: [] }),
  metrics: z.object({ token: text }).catch({}),
  a2a: z
    .object({ callers: z.record(z.string(), z.object({ token: text, apiKey: text }).catch({})).catch({}) })
    .catch({ callers: {} }),
});

/** Rejects guessable credentials of operators, callers and metrics. */
export const checkCredentials = (root: unknown): Problem[] => {
  const outline = Outline.safeParse(root);
  if (!outline.success) return [];
  const { admin, metrics, a2a } = outline.data;
  const found = (path: KeyPath, credential: string | undefined, minLength: number): Problem[] => {
    const message = credential === undefined ? undefined : credentialWeakness(credential, minLength);
    return message === undefined ? [] : [{ path, message }];
  };
  return [
    ...admin.tokens.flatMap(({ token }, index) =>
      found(["admin", "tokens", index, "token"], token, MIN_OPERATOR_TOKEN),
    ),
    ...found(["metrics", "token"], metrics.token, MIN_OPERATOR_TOKEN),
    ...Object.entries(a2a.callers).flatMap(([name, { token, apiKey }]) => [
      ...found(["a2a", "callers", name, "token"], token, MIN_CALLER_SECRET),
      ...found(["a2a", "callers", name, "apiKey"], apiKey, MIN_CALLER_SECRET),
    ]),
  ];
};

/** The problem with a guessable credential; undefined if it is strong enough. */
export const credentialWeakness = (credential: string, minLength: number): string | undefined => {
  if (/^sha256:/i.test(credential)) return digestWeakness(credential.slice("sha256:".length).toLowerCase());
  if (credential.length < minLength) return `must have at least ${minLength} characters: ${ADVICE}`;
  if (!/^[\x21-\x7e]+$/.test(credential)) return "must be ASCII without spaces, because it is sent in an HTTP header";
  if (isRegular(credential, minLength)) return `is too regular to be a secret: ${ADVICE}`;
  if (withoutWords(credential).length < MIN_UNKNOWN) return `is made of well-known words: ${ADVICE}`;
  return undefined;
};

const digestWeakness = (digest: string): string | undefined => {
  if (!/^[0-9a-f]{64}$/.test(digest)) return 'must have 64 hex digits after "sha256:"';
  const value = weakDigests().get(digest);
  if (value === undefined) return undefined;
  const found =
    value.trim() === "" ? "an empty value: the variable was not set when it was computed" : "a well-known word";
  return `is the digest of ${found}: ${ADVICE}, then compute its digest`;
};

/** Includes each value with the line break that `echo` adds. */
const weakDigests = (): ReadonlyMap<string, string> => {
  known ??= new Map(
    [...MISTAKES, ...WORDS, ...WORDS.flatMap((word) => [`${word}1`, `${word}123`, word.toUpperCase()])].flatMap(
      (value) => [value, `${value}\n`].map((printed): [string, string] => [hash("sha256", printed, "hex"), value]),
    ),
  );
  return known;
};
let known: ReadonlyMap<string, string> | undefined;

/** Few different characters, a repeated piece, or mostly consecutive characters ("abc", "321"). */
const isRegular = (text: string, minLength: number): boolean => {
  const steps = [...text].slice(1).filter((_, at) => Math.abs(text.charCodeAt(at + 1) - text.charCodeAt(at)) <= 1);
  return (
    new Set(text.toLowerCase()).size < MIN_DIFFERENT ||
    `${text}${text}`.indexOf(text, 1) < Math.min(text.length, minLength) ||
    steps.length > text.length / 2
  );
};

const withoutWords = (text: string): string =>
  WORDS.reduce((rest, word) => rest.replaceAll(word, " "), text.toLowerCase()).replaceAll(
    /0?1234?5?6?7?8?9?0?|[^a-z0-9]/g,
    "",
  );

import { hash, randomInt } from "node:crypto";

/** Without characters that look alike. Ten of them are 49 bits, too many to guess in ten minutes. */
const ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 10;
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
const SPELLED = new RegExp(`(?<![\\p{L}\\p{N}])[${ALPHABET}]{5}[-\\s]?[${ALPHABET}]{5}(?![\\p{L}\\p{N}])`, "giu");

export const newLinkCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** The code as people read it, in two groups. */
export const spellCode = (code: string): string => `${code.slice(0, 5)}-${code.slice(5)}`;

/** Normalises typed input; undefined if it cannot be a code. */
export const readCode = (typed: string): string | undefined => {
  const code = typed.replace(/[\s`-]/g, "").toUpperCase();
  return CODE.test(code) ? code : undefined;
};

/** All possible codes in a text. */
export const codesIn = (text: string): string[] =>
  [...text.matchAll(SPELLED)].flatMap(([spelled]) => readCode(spelled) ?? []);

/** The id of the link, a hash that is stored instead of the code. */
export const linkIdOf = (tenant: string, code: string): string =>
  hash("sha256", JSON.stringify([tenant, code]), "hex").slice(0, 16);

import { hash, randomInt } from "node:crypto";

/** No letter or digit that is taken for another. Ten of them are 49 bits: more than anybody can try in ten minutes. */
const ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 10;
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
const SPELLED = new RegExp(`(?<![\\p{L}\\p{N}])[${ALPHABET}]{5}[-\\s]?[${ALPHABET}]{5}(?![\\p{L}\\p{N}])`, "giu");

export const newLinkCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** As people read it. */
export const spellCode = (code: string): string => `${code.slice(0, 5)}-${code.slice(5)}`;

/** What somebody typed, if it can be a code at all. */
export const readCode = (typed: string): string | undefined => {
  const code = typed.replace(/[\s`-]/g, "").toUpperCase();
  return CODE.test(code) ? code : undefined;
};

/** Whatever in a text can be a code. */
export const codesIn = (text: string): string[] =>
  [...text.matchAll(SPELLED)].flatMap(([spelled]) => readCode(spelled) ?? []);

/** What is stored instead of the code, and names the link from then on. */
export const linkIdOf = (tenant: string, code: string): string =>
  hash("sha256", JSON.stringify([tenant, code]), "hex").slice(0, 16);

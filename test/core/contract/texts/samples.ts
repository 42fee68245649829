import type { Texts } from "../../../../core/contract/texts/texts.ts";

export interface Sample {
  /** The names of its keys; a text with numbers has one sample for one and one for several. */
  readonly path: string;
  readonly text: string;
}

/** Every text, with marked values for its parameters: strings first, and numbers where a text counts with them. */
export const samplesOf = (texts: Texts): readonly Sample[] => walk(texts, []);

const walk = (value: unknown, keys: readonly string[]): Sample[] => {
  const path = keys.join(".");
  if (typeof value === "string") return [{ path, text: value }];
  if (typeof value === "function") return called(value as (...values: unknown[]) => string, path);
  if (typeof value !== "object" || value === null) throw new Error(`${path} is not a text`);
  return Object.entries(value).flatMap(([key, inner]) => walk(inner, [...keys, key]));
};

/** Numbers that occur in no text otherwise. */
const SEVERAL = [4_021, 4_022, 4_023];

const called = (text: (...values: unknown[]) => string, path: string): Sample[] => [
  { path: `${path}(a)`, text: text("[1]", "[2]", "[3]", "[4]") },
  { path: `${path}(1)`, text: text(1, 1, 1, 1) },
  { path: `${path}(n)`, text: text(...SEVERAL, 4_024).replace(/402\d/g, "[$&]") },
];

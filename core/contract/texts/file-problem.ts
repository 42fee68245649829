import { z } from "zod";
import { english, type Texts } from "./texts.ts";

type Problems = Texts["files"]["problems"];

/** Why a file cannot be read: the key of a text and its values, so that its sender reads it in their own language. */
export const FileProblem = z.looseObject({ key: z.string(), values: z.array(z.string()) });
export type FileProblem = z.infer<typeof FileProblem>;

export const fileProblem = <K extends keyof Problems>(key: K, ...values: Parameters<Problems[K]>): FileProblem => ({
  key,
  values: [...values],
});

/** Undefined: a newer process has written a key that this one does not know. */
export const problemText = ({ key, values }: FileProblem, { files }: Texts): string | undefined => {
  if (!Object.hasOwn(files.problems, key)) return undefined;
  const text: (...values: string[]) => string = files.problems[key as keyof Problems];
  return text(...values);
};

/** The fields of a file's record: the English sentence is for models, and for processes that know no keys. */
export const problemFields = (why: FileProblem, sentence = problemText(why, english)) => ({
  ...(sentence !== undefined && { problem: sentence }),
  why,
});

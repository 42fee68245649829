import { z } from "zod";
import { AppError } from "../../core/contract/app-error.ts";

/** Names one thing in a path, whatever characters its parts have. Opaque to who gets it. */
export const refOf = (...parts: readonly string[]): string => Buffer.from(JSON.stringify(parts)).toString("base64url");

/** The parts that it was made of. What is none reads as absent. */
export const partsOfRef = (ref: string, count: number): string[] => {
  const parts = readRef(ref);
  if (parts?.length !== count) throw new AppError("not-found", "there is no such thing here");
  return parts;
};

export const readRef = (ref: string): string[] | undefined => {
  try {
    return z.array(z.string()).parse(JSON.parse(Buffer.from(ref, "base64url").toString("utf8")));
  } catch {
    return undefined;
  }
};

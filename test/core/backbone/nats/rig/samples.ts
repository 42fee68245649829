import { z } from "zod";
import { collection, keyOf } from "../../../../../core/contract/ports/store.ts";
import { subject } from "../../../../../core/contract/ports/subject.ts";

const Numbered = z.looseObject({ n: z.number() });
export const numbers = (part: string) => subject("default", "test.number", Numbered, part);
export const numbered = (n: number) => ({ n });

/** "loose" accepts any message on the same subject, as another version might. */
export const things = (form: "strict" | "loose") =>
  collection<{ n: number }>(
    "things",
    form === "strict" ? Numbered : (z.unknown() as unknown as z.ZodType<{ n: number }>),
  );
export const sampleKey = (...parts: [string, ...string[]]) => keyOf(things("strict"), ...parts);

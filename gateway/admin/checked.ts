import type { z } from "zod";
import { AppError } from "../../core/contract/app-error.ts";

/** What was given, if it fits; otherwise every problem at once, by path. */
export const checked = <T>(schema: z.ZodType<T>, given: unknown): T => {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw new AppError("bad-input", problems.join("; "));
};

import { AppError } from "../contract/app-error.ts";

/** Our own refusal, which a failed request hides in its causes. */
export const refusalIn = (error: unknown): AppError | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof AppError) return at;
  return undefined;
};

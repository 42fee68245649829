import { messageOf } from "../../contract/app-error.ts";
import { refusalIn } from "../refusal-in.ts";

/** In words. A connection that fails says so, and no more; its cause says how. */
export const whyFailed = (error: unknown): string => {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return refusal.message;
  return error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${error.cause.message}`
    : messageOf(error);
};

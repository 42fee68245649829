import { refusalIn } from "../refusal-in.ts";

/** It never came to an answer: the same request may do so later. A connection that fails or breaks is a TypeError. */
export const isTransport = (error: unknown): boolean => {
  const refusal = refusalIn(error);
  return refusal === undefined ? error instanceof TypeError : refusal.code === "unavailable";
};

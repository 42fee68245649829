import { hash } from "node:crypto";

/** Deterministic: the same parts give the same id in every process. */
export const stableId = (prefix: string, ...parts: readonly string[]): string =>
  `${prefix}-${hash("sha256", JSON.stringify(parts), "hex").slice(0, 32)}`;

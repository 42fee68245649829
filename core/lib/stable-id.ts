import { hash } from "node:crypto";

/** The same parts always give the same id, in every process; other parts give another. */
export const stableId = (prefix: string, ...parts: readonly string[]): string =>
  `${prefix}-${hash("sha256", JSON.stringify(parts), "hex").slice(0, 32)}`;

import { createHash } from "node:crypto";

/** The same parts always give the same id, in every process; other parts give another. */
export const stableId = (prefix: string, ...parts: readonly string[]): string =>
  `${prefix}-${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32)}`;

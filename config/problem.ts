import type { KeyPath } from "./key-path.ts";

/** Something wrong at a path; where that is in the file is looked up at the end. */
export interface Problem {
  readonly path: KeyPath;
  readonly message: string;
  /** Only if it cannot be looked up by the path. */
  readonly line?: number;
}

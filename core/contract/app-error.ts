import { brand } from "./brand.ts";

/** A closed union: every map from codes (to an HTTP status or an exit code) must be extended to compile. */
export type ErrorCode =
  | "bad-input"
  | "bad-configuration"
  | "too-large"
  | "not-found"
  | "unauthorised"
  | "forbidden"
  | "conflict"
  | "rate-limited"
  | "unavailable"
  | "data-in-use"
  | "data-unusable"
  | "stopped"
  | "internal";

/** The base of all errors that this project throws deliberately. The message says what to do. */
export class AppError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The bus or the store does not answer. The operation may have succeeded; retry it when they answer again. */
export class BackboneUnavailable extends AppError {
  constructor(message: string, options?: { cause?: unknown }) {
    super("unavailable", message, options);
  }
}

/** A compare-and-set lost the race: another writer changed the key first. */
export class RevisionConflict extends AppError {
  constructor(key: string, expected: number) {
    super("conflict", `"${key}" is no longer at revision ${expected}: another writer was first`);
  }
}

brand(AppError, "AppError");
brand(BackboneUnavailable, "BackboneUnavailable");
brand(RevisionConflict, "RevisionConflict");

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

import type { ErrorCode } from "../../contract/app-error.ts";
import { AppError, messageOf } from "../../contract/app-error.ts";

/** What SQLite could not do, told to whoever runs Mooring. */
export class DatabaseFailure extends AppError {
  /** What the file holds is no longer certain: nothing more may be written until it is opened anew. */
  readonly fatal: boolean;

  constructor(code: ErrorCode, message: string, options: { cause: unknown; fatal: boolean }) {
    super(code, message, options);
    this.fatal = options.fatal;
  }
}

export const databaseFailure = (error: unknown, file: string): DatabaseFailure => {
  const code = sqliteCode(error);
  const [, errorCode, fatal, advice] = advices.find(([pattern]) => pattern.test(code)) ?? unexpected;
  return new DatabaseFailure(errorCode, `${file}: ${advice} (${code || messageOf(error)})`, { cause: error, fatal });
};

const sqliteCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

type Advice = readonly [pattern: RegExp, code: ErrorCode, fatal: boolean, advice: string];

const unexpected: Advice = [/./, "internal", false, "SQLite refused a statement; please report this"];

const advices: readonly Advice[] = [
  [/^SQLITE_(BUSY|LOCKED)/, "data-in-use", false, "the file is in use by another process"],
  [/^SQLITE_FULL/, "unavailable", false, "the disk is full; nothing was stored. Free some space, then try again"],
  [
    /^SQLITE_(IOERR|PROTOCOL)/,
    "unavailable",
    true,
    "the disk failed. Check it and the system's log, then restart Mooring",
  ],
  [
    /^SQLITE_(CORRUPT|NOTADB|FORMAT)/,
    "data-unusable",
    true,
    "the file is damaged or no Mooring data. Restore it from a backup, or move it away to start empty",
  ],
  [
    /^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/,
    "data-unusable",
    true,
    "the file cannot be written. Let the user that runs Mooring read and write it and its folder",
  ],
];

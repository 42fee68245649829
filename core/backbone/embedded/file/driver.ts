import Libsql from "libsql";
import { AppError, type ErrorCode, messageOf } from "../../../contract/app-error.ts";

export type Driver = InstanceType<typeof Libsql>;

/** The only file that imports the SQLite driver; `better-sqlite3` and `node:sqlite` have nearly the same API. */
export const openDriver = (file: string, busyTimeoutMs: number): Driver => {
  try {
    return new Libsql(file, { timeout: busyTimeoutMs });
  } catch (error) {
    // The driver throws a plain error here, without SQLite's code.
    throw databaseFailure(Object.assign(new Error(String(error)), { code: "SQLITE_CANTOPEN" }), file);
  }
};

/** An error of SQLite, with advice for the operator. */
export class DatabaseFailure extends AppError {
  /** The content of the file is uncertain: no write is allowed until the file was closed and opened again. */
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
    "the file is damaged or was not written by Mooring. Restore it from a backup, or move it away to start empty",
  ],
  [
    /^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/,
    "data-unusable",
    true,
    "the file cannot be written. Give the user that runs Mooring read and write permission for it and its folder",
  ],
];

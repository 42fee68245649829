import Libsql from "libsql";
import { databaseFailure } from "./database-failure.ts";

export type Driver = InstanceType<typeof Libsql>;

/** The one place that knows which SQLite this is: `better-sqlite3` and `node:sqlite` have nearly the same calls. */
export const openDriver = (file: string, busyTimeoutMs: number): Driver => {
  try {
    return new Libsql(file, { timeout: busyTimeoutMs });
  } catch (error) {
    // The driver throws a plain error here, without SQLite's code.
    throw databaseFailure(Object.assign(new Error(String(error)), { code: "SQLITE_CANTOPEN" }), file);
  }
};

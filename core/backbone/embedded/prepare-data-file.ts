import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/app-error.ts";

/** Only while the folder is locked. */
export const prepareDataFile = (folder: string): string => {
  const file = join(folder, "mooring.db");
  const log = `${file}-wal`;
  // SQLite deletes a log whose database is gone or empty, and with it the newest of what was stored.
  if (sizeOf(file) === 0 && sizeOf(log) > 0) {
    throw new AppError(
      "data-unusable",
      `${file} is gone or empty, but its log ${log} is not. Restore both from a backup, or move the log away to start empty`,
    );
  }
  // For its owner only, also in a folder that others may read; SQLite gives the log the same rights.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  return file;
};

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

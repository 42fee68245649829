import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError, messageOf } from "../../contract/app-error.ts";

export interface DataFolder {
  readonly path: string;
  readonly file: string;
}

/** Makes the folder if it is absent, and refuses what SQLite would silently make worse. */
export const prepareDataFolder = (dataDir: string): DataFolder => {
  const path = resolve(dataDir);
  const file = join(path, "mooring.db");
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new AppError(
      "data-unusable",
      `the data folder ${path} cannot be used: ${messageOf(error)}. Choose another dataDir, or let the user that runs Mooring write there`,
      { cause: error },
    );
  }
  // SQLite deletes a log whose database is gone or empty, and with it the newest of what was stored.
  if (sizeOf(file) === 0 && sizeOf(`${file}-wal`) > 0) {
    throw new AppError(
      "data-unusable",
      `${file} is gone or empty, but its log ${file}-wal is not. Restore both from a backup, or move the log away to start empty`,
    );
  }
  return { path, file };
};

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError, messageOf } from "../../../contract/app-error.ts";

/** Creates the folder if it is absent. */
export const prepareDataFolder = (dataDir: string): string => {
  const path = resolve(dataDir);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new AppError(
      "data-unusable",
      `the data folder ${path} cannot be used: ${messageOf(error)}. Choose another dataDir, or grant write permission to the user that runs Mooring`,
      { cause: error },
    );
  }
  return path;
};

/** Call while the folder is locked. */
export const prepareDataFile = (folder: string): string => {
  const file = join(folder, "mooring.db");
  const log = `${file}-wal`;
  // SQLite deletes a log whose database is missing or empty, and the newest records are in the log.
  if (sizeOf(file) === 0 && sizeOf(log) > 0) {
    throw new AppError(
      "data-unusable",
      `${file} is missing or empty, but its log ${log} is not. Restore both from a backup, or move the log away to start empty`,
    );
  }
  // Mode 600 protects the data in a folder that other users can read; SQLite gives the log the same mode.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  return file;
};

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

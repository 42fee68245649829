import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError, messageOf } from "../../../contract/app-error.ts";
import { DataLock, giveToOwnerOf, prepareDataFolder } from "../file/data-folder.ts";
import { openDriver } from "../file/driver.ts";
import { inspectDataFile, writeWhole } from "./data-file.ts";

export interface RestoreOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Replace existing data; it is kept under another name. */
  readonly force: boolean;
  readonly now: Date;
}

/** Returns the new path of the previous data, or undefined if there was none. */
export const restoreDatabase = ({ dataDir, file, force, now }: RestoreOptions): string | undefined => {
  const backup = resolve(file);
  if (!statSync(backup, { throwIfNoEntry: false })?.isFile()) {
    throw new AppError("not-found", `${backup} is not a file: name the backup to restore`);
  }
  if (existsSync(`${backup}-wal`)) {
    throw new AppError(
      "bad-input",
      `${backup} has a write-ahead log beside it, so it is a database in use or a plain copy of one: make a backup with "mooring backup FILE"`,
    );
  }
  inspectDataFile(backup);
  const folder = prepareDataFolder(dataDir);
  const database = join(folder, "mooring.db");
  const lock = new DataLock(folder);
  try {
    const exists = PARTS.some((suffix) => existsSync(`${database}${suffix}`));
    if (exists && !force) {
      throw new AppError("conflict", `${database} exists already: use --force to move it aside and restore the backup`);
    }
    const before = exists ? `${database}.before-${now.toISOString().replace(/[:.]/g, "-")}` : undefined;
    writeWhole(database, (partial) => {
      copy(backup, partial, folder);
      if (before !== undefined) moveAside(database, before);
    });
    return before;
  } finally {
    lock.release();
  }
};

/**
 * Links the file under its new name; it keeps the old one too, until the backup replaces it atomically. The log is
 * moved, because SQLite would apply it to the restored backup.
 */
const moveAside = (database: string, before: string): void => {
  foldLog(database);
  for (const suffix of ["-wal", "-shm"]) {
    if (existsSync(`${database}${suffix}`)) renameSync(`${database}${suffix}`, `${before}${suffix}`);
  }
  if (!existsSync(database)) return;
  try {
    linkSync(database, before);
  } catch {
    // Not every file system has links.
    copyFileSync(database, before);
  }
};

/** Merges the log, so that the old data is one file. A log that cannot be read stays a separate file. */
const foldLog = (database: string): void => {
  if (!existsSync(database)) return;
  try {
    const driver = openDriver(database, 0);
    try {
      driver.pragma("journal_mode = DELETE");
    } finally {
      driver.close();
    }
  } catch {
    // Damaged data is moved aside unchanged.
  }
};

const copy = (backup: string, partial: string, folder: string): void => {
  try {
    copyFileSync(backup, partial);
    chmodSync(partial, 0o600);
    giveToOwnerOf(folder, partial);
  } catch (error) {
    throw new AppError("unavailable", `could not copy the backup: ${messageOf(error)}`, { cause: error });
  }
  inspectDataFile(partial);
};

const PARTS = ["", "-wal", "-shm"];

import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError, messageOf } from "../../../contract/app-error.ts";
import { DataLock } from "../data-lock.ts";
import { openDriver } from "../driver.ts";
import { prepareDataFolder } from "../prepare-data-folder.ts";
import { inspectDataFile } from "./inspect-data-file.ts";
import { writeWhole } from "./partial-file.ts";

export interface RestoreOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Replace the data that is there; it is kept under another name. */
  readonly force: boolean;
  readonly now: Date;
}

/** Returns where the data that was there before is now; undefined if there was none. */
export const restoreDatabase = ({ dataDir, file, force, now }: RestoreOptions): string | undefined => {
  const backup = resolve(file);
  if (!statSync(backup, { throwIfNoEntry: false })?.isFile()) {
    throw new AppError("not-found", `${backup} is no file: name the backup to restore`);
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
      throw new AppError("conflict", `${database} exists already: use --force to put it aside and restore the backup`);
    }
    const before = exists ? `${database}.before-${now.toISOString().replace(/[:.]/g, "-")}` : undefined;
    writeWhole(database, (partial) => {
      copy(backup, partial);
      if (before !== undefined) putAside(database, before);
    });
    return before;
  } finally {
    lock.release();
  }
};

/**
 * The file itself keeps its name too, until the backup replaces it in one step. Its log is moved: beside the backup it
 * would be applied to that.
 */
const putAside = (database: string, before: string): void => {
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

/** So that the old data is one file. A log that cannot be read is kept beside it. */
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
    // Damaged data is put aside as it is.
  }
};

const copy = (backup: string, partial: string): void => {
  try {
    copyFileSync(backup, partial);
    chmodSync(partial, 0o600);
  } catch (error) {
    throw new AppError("unavailable", `the backup could not be copied: ${messageOf(error)}`, { cause: error });
  }
  inspectDataFile(partial);
};

const PARTS = ["", "-wal", "-shm"];

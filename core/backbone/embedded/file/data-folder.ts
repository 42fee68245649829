import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { AppError, messageOf } from "../../../contract/app-error.ts";
import { type Driver, databaseFailure, openDriver } from "./driver.ts";

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

/**
 * Allows one process at a time. SQLite takes an operating system lock on a separate file, so a crash releases it, and of
 * two processes that start at once exactly one gets it. The file with the process id only improves the error message.
 */
export class DataLock {
  readonly #driver: Driver;
  readonly #holderFile: string;

  constructor(folder: string) {
    const file = join(folder, "mooring.lock");
    this.#holderFile = join(folder, "mooring.pid");
    createForOwner(folder, file);
    this.#driver = openDriver(file, LOCK_TIMEOUT_MS);
    try {
      this.#driver.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      this.#driver.close();
      const failure = databaseFailure(error, file);
      throw failure.code === "data-in-use" ? inUse(folder, holderOf(this.#holderFile), failure) : failure;
    }
    writeHolder(this.#holderFile);
  }

  release(): void {
    rmSync(this.#holderFile, { force: true });
    this.#driver.exec("ROLLBACK");
    this.#driver.close();
  }
}

/** Commands of root leave new files to the owner of the folder, because that user runs Mooring. */
export const giveToOwnerOf = (folder: string, file: string): void => {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
};

/** Mode 600, also in a folder that other users can read. If the file cannot be created, SQLite reports the reason. */
const createForOwner = (folder: string, file: string): void => {
  try {
    closeSync(openSync(file, "a", 0o600));
    giveToOwnerOf(folder, file);
  } catch {
    return;
  }
};

const inUse = (folder: string, pid: number | undefined, cause: unknown): AppError => {
  const holder =
    pid === undefined ? "another process" : pid === process.pid ? "this process already" : `process ${pid}`;
  return new AppError(
    "data-in-use",
    `${folder} is in use by ${holder}. Stop it first, or choose another dataDir; several processes at once need the nats backbone`,
    { cause },
  );
};

/** Best effort: on a full disk the lock works without it. */
const writeHolder = (file: string): void => {
  try {
    writeFileSync(file, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    rmSync(file, { force: true });
  }
};

/** Undefined for a missing or malformed file: SQLite's lock decides. */
const holderOf = (file: string): number | undefined => {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
};

/** A process that is stopping may still hold the lock. */
const LOCK_TIMEOUT_MS = 250;

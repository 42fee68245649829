import { existsSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../../../contract/app-error.ts";
import { DataLock } from "../file/data-folder.ts";
import { type Driver, databaseFailure, openDriver } from "../file/driver.ts";
import { APPLICATION_ID } from "../file/schema.ts";
import { inspectDataFile, readPragma, refuseTarget, writeWhole } from "./data-file.ts";

export interface BackupOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Replace the file if it exists. */
  readonly force: boolean;
  /** Refuse while a process uses the data. */
  readonly isFinal?: boolean;
}

/**
 * Copies a consistent snapshot of the database, its write-ahead log included, while another process may use it.
 * Returns the size of the copy in bytes, once it is complete, checked and on disk.
 */
export const backupDatabase = ({ dataDir, file, force, isFinal = false }: BackupOptions): number => {
  const source = join(resolve(dataDir), "mooring.db");
  const target = resolve(file);
  if (existsSync(target) && existsSync(source) && realpathSync(target) === realpathSync(source)) {
    throw new AppError("bad-input", `${target} is the database itself: name another file`);
  }
  refuseTarget(target, force);
  if (!existsSync(source)) {
    throw new AppError("not-found", `${source} does not exist: check dataDir, or nothing has been stored yet`);
  }
  const lock = isFinal ? new DataLock(resolve(dataDir)) : undefined;
  const driver = openDriver(source, BUSY_WAIT_MS);
  try {
    prepareSource(driver, source);
    writeWhole(target, (partial) => {
      copyInto(driver, partial);
      inspectDataFile(partial);
    });
  } finally {
    release(driver);
    lock?.release();
  }
  return statSync(target).size;
};

/** In WAL mode the copy does not block a process that starts meanwhile. */
const prepareSource = (driver: Driver, source: string): void => {
  try {
    if (readPragma(driver, "application_id") !== APPLICATION_ID) {
      throw new AppError("data-unusable", `${source} is not a Mooring database`);
    }
    driver.pragma("journal_mode = WAL");
  } catch (error) {
    throw error instanceof AppError ? error : databaseFailure(error, source);
  }
};

const copyInto = (driver: Driver, partial: string): void => {
  try {
    driver.prepare("VACUUM INTO ?").run([partial]);
  } catch (error) {
    throw databaseFailure(error, partial);
  }
};

/** Merges the log into the file, as a stop does. SQLite refuses that while another process uses the data folder. */
const release = (driver: Driver): void => {
  try {
    driver.pragma("busy_timeout = 0");
    driver.pragma("journal_mode = DELETE");
  } catch {
    // The process that uses the database continues with its log.
  } finally {
    driver.close();
  }
};

const BUSY_WAIT_MS = 10_000;

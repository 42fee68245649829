import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError, messageOf } from "../../../contract/app-error.ts";
import { refuseNewerData } from "../../data-format.ts";
import { type Driver, databaseFailure, openDriver } from "../file/driver.ts";
import { APPLICATION_ID } from "../file/schema.ts";

/** Throws "data-unusable" unless the file is an undamaged Mooring database that this version can open. */
export const inspectDataFile = (file: string): void => {
  const driver = openDriver(file, 0);
  try {
    if (readPragma(driver, "application_id") !== APPLICATION_ID) {
      throw new AppError("data-unusable", `${file} is not a Mooring database`);
    }
    refuseNewerData(file, Number(readPragma(driver, "user_version")));
    const found = readPragma(driver, "integrity_check");
    if (found !== "ok") throw new AppError("data-unusable", `${file} is damaged: ${String(found)}`);
  } catch (error) {
    throw error instanceof AppError ? error : databaseFailure(error, file);
  } finally {
    driver.close();
  }
};

/** A backup replaces an existing file only with `force`. */
export const refuseTarget = (target: string, force: boolean): void => {
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isFile()) throw new AppError("bad-input", `${target} is not a file: name the file to write`);
  if (!force)
    throw new AppError("conflict", `${target} exists already: name another file, or use --force to replace it`);
};

export const readPragma = (driver: Driver, name: string): unknown => {
  const row: unknown = driver.prepare(`PRAGMA ${name}`).raw().get();
  return Array.isArray(row) ? row[0] : undefined;
};

/**
 * Writes to a temporary file in the same folder and renames it when it is complete and synced, so that a crash never
 * leaves a partial file under the final name. Mode 600.
 */
export const writeWhole = (file: string, write: (partial: string) => void): void => {
  removeLeftovers(file);
  const partial = `${file}${INFIX}${process.pid}`;
  try {
    closeSync(openSync(partial, "wx", 0o600));
  } catch (error) {
    throw new AppError("bad-input", `${file} cannot be written: ${messageOf(error)}`, { cause: error });
  }
  try {
    write(partial);
    sync(partial);
    renameSync(partial, file);
    sync(dirname(file));
  } catch (error) {
    for (const suffix of ["", "-journal"]) rmSync(`${partial}${suffix}`, { force: true });
    throw error;
  }
};

/** A folder beside the file for data in progress. The next one removes it if this process is killed. */
export const partialFolder = (file: string): string => {
  removeLeftovers(file);
  const folder = `${file}${INFIX}${process.pid}-data`;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw new AppError("bad-input", `${folder} cannot be created: ${messageOf(error)}`, { cause: error });
  }
  return folder;
};

/** A killed process leaves its partial file and SQLite's journal of it. */
const removeLeftovers = (file: string): void => {
  const prefix = `${basename(file)}${INFIX}`;
  const folder = dirname(file);
  for (const name of namesIn(folder)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : 0;
    if (pid > 0 && !isAlive(pid)) rmSync(join(folder, name), { recursive: true, force: true });
  }
};

/** Creating the file reports a missing folder. */
const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

const sync = (path: string): void => {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

const INFIX = ".partial-";

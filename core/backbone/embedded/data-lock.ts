import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/app-error.ts";
import { databaseFailure } from "./database-failure.ts";
import type { Driver } from "./driver.ts";
import { openDriver } from "./driver.ts";

/**
 * One process at a time. The lock is the operating system's, taken by SQLite on a file of its own, so it ends with its
 * process, however that ends; and of two that start at once, exactly one gets it. The process id beside it only makes
 * the refusal more helpful.
 */
export class DataLock {
  readonly #driver: Driver;
  readonly #holderFile: string;

  constructor(folder: string) {
    const file = join(folder, "mooring.lock");
    this.#holderFile = join(folder, "mooring.pid");
    createForOwner(file);
    this.#driver = openDriver(file, PATIENCE_MS);
    try {
      this.#driver.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      this.#driver.close();
      const failure = databaseFailure(error, file);
      throw failure.code === "data-in-use" ? inUse(folder, holderOf(this.#holderFile), failure) : failure;
    }
    leaveHint(this.#holderFile);
  }

  release(): void {
    rmSync(this.#holderFile, { force: true });
    this.#driver.exec("ROLLBACK");
    this.#driver.close();
  }
}

/** For its owner only, also in a folder that others may read. If it cannot be created, SQLite reports why. */
const createForOwner = (file: string): void => {
  try {
    closeSync(openSync(file, "a", 0o600));
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

/** On a full disk there is no hint, but a lock. */
const leaveHint = (file: string): void => {
  try {
    writeFileSync(file, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    rmSync(file, { force: true });
  }
};

/** A hint only, so a missing or odd file is no error: the lock itself has spoken. */
const holderOf = (file: string): number | undefined => {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
};

/** A process that is just ending may still hold it. */
const PATIENCE_MS = 250;

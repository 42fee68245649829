import { AppError } from "../../../contract/app-error.ts";
import { databaseFailure } from "../database-failure.ts";
import type { Driver } from "../driver.ts";
import { openDriver } from "../driver.ts";
import { APPLICATION_ID, migrations } from "../schema.ts";

/** Throws "data-unusable" unless the file is an undamaged database of Mooring that this version can open. */
export const inspectDataFile = (file: string): void => {
  const driver = openDriver(file, 0);
  try {
    if (readPragma(driver, "application_id") !== APPLICATION_ID) {
      throw new AppError("data-unusable", `${file} is no database of Mooring`);
    }
    const version = Number(readPragma(driver, "user_version"));
    if (version > migrations.length) {
      const known = `format ${version}; ${migrations.length} is the newest known here`;
      throw new AppError("data-unusable", `${file} was written by a newer Mooring (${known}). Update Mooring first`);
    }
    const found = readPragma(driver, "integrity_check");
    if (found !== "ok") throw new AppError("data-unusable", `${file} is damaged: ${String(found)}`);
  } catch (error) {
    throw error instanceof AppError ? error : databaseFailure(error, file);
  } finally {
    driver.close();
  }
};

export const readPragma = (driver: Driver, name: string): unknown => {
  const row: unknown = driver.prepare(`PRAGMA ${name}`).raw().get();
  return Array.isArray(row) ? row[0] : undefined;
};

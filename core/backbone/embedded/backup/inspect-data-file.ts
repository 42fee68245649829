import { AppError } from "../../../contract/app-error.ts";
import type { Driver } from "../file/driver.ts";
import { databaseFailure, openDriver } from "../file/driver.ts";
import { APPLICATION_ID, migrations } from "../file/schema.ts";

/** Throws "data-unusable" unless the file is an undamaged Mooring database that this version can open. */
export const inspectDataFile = (file: string): void => {
  const driver = openDriver(file, 0);
  try {
    if (readPragma(driver, "application_id") !== APPLICATION_ID) {
      throw new AppError("data-unusable", `${file} is not a Mooring database`);
    }
    const version = Number(readPragma(driver, "user_version"));
    if (version > migrations.length) {
      const known = `format ${version}, this version knows up to ${migrations.length}`;
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

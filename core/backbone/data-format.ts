import { AppError } from "../contract/app-error.ts";

/**
 * The format of all stored records and messages of a deployment: 3 for 0.1.0, 4 for 0.2.0. A release that writes data
 * which an older version could misread raises it and adds a migration for embedded files, even an empty one.
 * Every version reads all older formats (docs/upgrading.md). An embedded file has one number; on NATS, where two versions
 * write side by side, each record and message has its own as well (ADR 23).
 */
export const DATA_FORMAT = 4;

/** For the error of a record or message that cannot be read: tells that a newer version wrote it. */
export const newerFormat = (format = 0): string =>
  format > DATA_FORMAT ? `; written by a newer Mooring, format ${format}` : "";

/** Throws for data of a version after this one. A NATS connection retries "data-unusable", so it needs another code. */
export const refuseNewerData = (
  where: string,
  format: number,
  code: "data-unusable" | "bad-configuration" = "data-unusable",
): void => {
  if (format <= DATA_FORMAT) return;
  throw new AppError(
    code,
    `${where} was written by a newer Mooring (format ${format}; ${DATA_FORMAT} is the newest known here). ` +
      "Install that version or a later one again, or restore a backup from before the upgrade (docs/upgrading.md)",
  );
};

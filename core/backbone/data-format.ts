import { AppError } from "../contract/app-error.ts";

/**
 * The format of all stored records and messages of a deployment: 3 for 0.1.0, 4 for 0.2.0. A release that writes data
 * which an older version could misread raises it and adds a migration for embedded files, even an empty one.
 * Records and messages have no number of their own: every version reads all older formats (docs/upgrading.md).
 */
export const DATA_FORMAT = 4;

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

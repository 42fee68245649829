import { accessSync, constants, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { AppError, messageOf } from "../../contract/app-error.ts";

/** Makes the folder if it is absent. */
export const prepareDataFolder = (dataDir: string): string => {
  const path = resolve(dataDir);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new AppError(
      "data-unusable",
      `the data folder ${path} cannot be used: ${messageOf(error)}. Choose another dataDir, or let the user that runs Mooring write there`,
      { cause: error },
    );
  }
  return path;
};

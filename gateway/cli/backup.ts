import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadConfig } from "../../config/index.ts";
import { backupDatabase, restoreDatabase } from "../../core/backbone/index.ts";
import { AppError } from "../../core/contract/app-error.ts";

export interface BackupFlags {
  readonly file: string;
  readonly config: string | undefined;
  readonly force: boolean;
}

/** Copies the database of the embedded backbone, also while Mooring runs. */
export const backup = async ({ file, config, force }: BackupFlags): Promise<string> => {
  const dataDir = embeddedDataDir(config, "nats account backup FOLDER");
  const bytes = await backupDatabase({ dataDir, file, force });
  return [
    `${resolve(file)} holds everything that was stored when the backup began (${megabytes(bytes)} MB, checked).`,
    `It does not hold ${notInside(dataDir).join(", ")}.`,
    "",
  ].join("\n");
};

/** Puts a backup in place of the database, while Mooring does not run. */
export const restore = async ({ file, config, force }: BackupFlags): Promise<string> => {
  const dataDir = embeddedDataDir(config, "nats account restore FOLDER");
  const before = await restoreDatabase({ dataDir, file, force, now: new Date() });
  const kept = before === undefined ? "" : `The data that was there is now ${before}.\n`;
  return `${resolve(file)} is restored to ${resolve(dataDir)}.\n${kept}`;
};

const embeddedDataDir = (file: string | undefined, natsCommand: string): string => {
  const { backbone, dataDir } = loadConfig({ file });
  if (backbone === "embedded") return dataDir;
  throw new AppError(
    "bad-configuration",
    `with the nats backbone the data is in JetStream, not in dataDir: use "${natsCommand}" of the NATS command line (docs/reliability.md)`,
  );
};

/** Files in the data folder that are not part of the database, as far as they exist. */
const notInside = (dataDir: string): string[] => [
  "the configuration and its .env",
  ...["admin-token", "workspaces"].map((name) => join(resolve(dataDir), name)).filter((path) => existsSync(path)),
];

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

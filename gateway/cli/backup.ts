import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadConfig } from "../../config/index.ts";
import { backupDatabase, restoreDatabase } from "../../core/backbone/index.ts";
import { AppError } from "../../core/contract/app-error.ts";

interface BackupFlags {
  readonly file: string;
  readonly config: string | undefined;
  readonly force: boolean;
}

/** Copies the database of the embedded backbone, also while Mooring runs. */
export const backup = async ({ file, config, force }: BackupFlags): Promise<string> => {
  const dataDir = embeddedDataDir(config, "nats account backup FOLDER");
  const bytes = await backupDatabase({ dataDir, file, force });
  return [
    `${resolve(file)} contains everything that was stored when the backup began (${megabytes(bytes)} MB, checked).`,
    `It does not contain ${notInside(dataDir).join(", ")}.`,
    "",
  ].join("\n");
};

/** Replaces the database with a backup, while Mooring is stopped. */
export const restore = async ({ file, config, force }: BackupFlags): Promise<string> => {
  const dataDir = embeddedDataDir(config, "nats account restore FOLDER");
  const before = await restoreDatabase({ dataDir, file, force, now: new Date() });
  const previous = before === undefined ? "" : `The previous data was moved to ${before}.\n`;
  return `${resolve(file)} was restored to ${resolve(dataDir)}.\n${previous}`;
};

const embeddedDataDir = (file: string | undefined, natsCommand: string): string => {
  const { backbone, dataDir } = loadConfig({ file });
  if (backbone === "embedded") return dataDir;
  throw new AppError(
    "bad-configuration",
    `the nats backbone stores its data in JetStream, not in dataDir: use "${natsCommand}" of the NATS command line (docs/reliability.md)`,
  );
};

/** Files in the data folder that are not part of the database, as far as they exist. */
const notInside = (dataDir: string): string[] => [
  "the configuration and its .env",
  ...["admin-token", "workspaces"].map((name) => join(resolve(dataDir), name)).filter((path) => existsSync(path)),
];

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Config, loadConfig } from "../../config/index.ts";
import * as backbone from "../../core/backbone/index.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";
import { describeBackbone } from "./describe-config.ts";

interface BackupFlags {
  readonly file: string;
  readonly config: string | undefined;
  readonly force: boolean;
}

/** Copies all data to one file, also while Mooring runs. */
export const backup = async ({ file, config: configFile, force }: BackupFlags): Promise<string> => {
  const config = await loadConfig({ file: configFile });
  const { dataDir } = config;
  const { bytes, at } = await backbone.backup(config.backbone, { dataDir, file, force }, systemClock);
  return [
    `${resolve(file)} contains everything that ${whereOf(config)} had stored at ${at.toISOString()} (${megabytes(bytes)} MB, checked).`,
    `It does not contain ${notInside(dataDir).join(", ")}.`,
    "",
  ].join("\n");
};

/** Replaces the data with a backup, while Mooring is stopped. */
export const restore = async ({ file, config: configFile, force }: BackupFlags): Promise<string> => {
  const config = await loadConfig({ file: configFile });
  const { dataDir } = config;
  const before = await backbone.restore(config.backbone, { dataDir, file, force }, systemClock);
  const previous = before === undefined ? "" : `The previous data was moved to ${before}.\n`;
  return `${resolve(file)} was restored to ${whereOf(config)}.\n${previous}`;
};

interface MigrateFlags {
  readonly config: string | undefined;
  /** The configuration with the new backbone. */
  readonly to: string;
  readonly force: boolean;
}

/** Copies the data of a stopped deployment to the backbone of another configuration. The old data stays. */
export const migrate = async ({ config: configFile, to, force }: MigrateFlags): Promise<string> => {
  const [source, target] = [await loadConfig({ file: configFile }), await loadConfig({ file: to })];
  if (whereOf(source) === whereOf(target)) {
    throw new AppError("bad-input", `both configurations use ${whereOf(source)}: --to names one with another backbone`);
  }
  const folder = mkdtempSync(join(dirname(resolve(to)), ".mooring-migrate-"));
  try {
    const file = join(folder, "data.db");
    const from = { dataDir: source.dataDir, file, force: false, isFinal: true };
    const { bytes } = await backbone.backup(source.backbone, from, systemClock);
    await backbone.restore(target.backbone, { dataDir: target.dataDir, file, force }, systemClock);
    return [
      `Everything in ${whereOf(source)} was copied to ${whereOf(target)} (${megabytes(bytes)} MB, checked).`,
      `It does not contain ${notInside(source.dataDir).join(", ")}.`,
      `Start Mooring with ${resolve(to)}. The old data is unchanged: delete it once you are content.`,
      "",
    ].join("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const whereOf = (config: Config): string =>
  config.backbone === "embedded"
    ? resolve(config.dataDir)
    : `${describeBackbone(config)} with the prefix ${config.backbone.nats.prefix}`;

/** Files in the data folder that are not part of the data of the backbone, as far as they exist. */
const notInside = (dataDir: string): string[] => [
  "the configuration and its .env",
  ...["admin-token", "workspaces"].map((name) => join(resolve(dataDir), name)).filter((path) => existsSync(path)),
];

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

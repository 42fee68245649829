import type { Backbone, RequiredReader } from "../contract/ports/backbone.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { BackboneConfig } from "./config.ts";
import type { NatsInspection } from "./nats/inspect-nats.ts";

interface BackboneDeps {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** With NATS, health is not ok while one of these has no reader. The embedded backbone has one process and reads all. */
  readonly requiredReaders?: readonly RequiredReader[];
}

/** Loads the configured driver only. With NATS it can resolve before there is a connection: see health(). */
export const openBackbone = async (config: BackboneConfig, deps: BackboneDeps): Promise<Backbone> => {
  if (config === "embedded") {
    const { openEmbeddedBackbone } = await import("./embedded/open-embedded-backbone.ts");
    return openEmbeddedBackbone(deps);
  }
  const { openNatsBackbone } = await import("./nats/open-nats-backbone.ts");
  const { clock, logger, requiredReaders = [] } = deps;
  return openNatsBackbone({ ...natsConnectionOf(config), clock, logger, requiredReaders });
};

/** Reads the state of the servers without opening the backbone. */
export const inspectNats = async (config: Exclude<BackboneConfig, "embedded">): Promise<NatsInspection> => {
  const driver = await import("./nats/inspect-nats.ts");
  return driver.inspectNats(natsConnectionOf(config));
};

export interface BackupOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Replace the file if it exists. */
  readonly force: boolean;
  /** The data moves elsewhere: refused while a process uses it, because what it writes later would stay behind. */
  readonly isFinal?: boolean;
}

export interface BackupResult {
  readonly bytes: number;
  /** The moment that the copy shows. */
  readonly at: Date;
}

/** Copies all data to one file, in the same format on both backbones, while processes may use it. */
export const backup = async (config: BackboneConfig, options: BackupOptions, clock: Clock): Promise<BackupResult> => {
  const { dataDir, file, force, isFinal = false } = options;
  if (config === "embedded") {
    const { backupDatabase } = await import("./embedded/backup/backup-database.ts");
    const at = new Date(clock.now());
    return { bytes: backupDatabase({ dataDir, file, force, isFinal }), at };
  }
  const { writeArchive } = await import("./embedded/backup/file-archive.ts");
  const { readDeployment } = await import("./nats/backup/read-deployment.ts");
  let at = new Date(clock.now());
  const bytes = await writeArchive({ file, force }, async (archive) => {
    at = await readDeployment({ ...natsConnectionOf(config), clock }, archive, { isFinal });
  });
  return { bytes, at };
};

/** Replaces all data by a backup of either backbone. Returns the new path of the previous data, if it was kept. */
export const restore = async (
  config: BackboneConfig,
  { dataDir, file, force }: Omit<BackupOptions, "isFinal">,
  clock: Clock,
): Promise<string | undefined> => {
  const now = clock.now();
  if (config === "embedded") {
    const { restoreDatabase } = await import("./embedded/backup/restore-database.ts");
    return restoreDatabase({ dataDir, file, force, now: new Date(now) });
  }
  const { readArchive } = await import("./embedded/backup/file-archive.ts");
  const { writeDeployment } = await import("./nats/backup/write-deployment.ts");
  await readArchive(file, now, (archive) =>
    writeDeployment({ ...natsConnectionOf(config), clock }, archive, { force }),
  );
  return undefined;
};

/** Addresses and credentials. */
const natsConnectionOf = ({ nats }: Exclude<BackboneConfig, "embedded">) => {
  const { user, password, token, credentialsFile, ...server } = nats;
  return {
    ...server,
    auth: {
      ...(user !== undefined && { user }),
      ...(password !== undefined && { password: password.reveal() }),
      ...(token !== undefined && { token: token.reveal() }),
      ...(credentialsFile !== undefined && { credentialsFile }),
    },
  };
};

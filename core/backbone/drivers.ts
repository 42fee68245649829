import type { Backbone, RequiredReader } from "../contract/ports/backbone.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { BackboneConfig } from "./config.ts";
import type { BackupOptions } from "./embedded/backup/backup-database.ts";
import type { RestoreOptions } from "./embedded/backup/restore-database.ts";
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

export const backupDatabase = async (options: BackupOptions): Promise<number> => {
  const driver = await import("./embedded/backup/backup-database.ts");
  return driver.backupDatabase(options);
};

export const restoreDatabase = async (options: RestoreOptions): Promise<string | undefined> => {
  const driver = await import("./embedded/backup/restore-database.ts");
  return driver.restoreDatabase(options);
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

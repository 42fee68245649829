import type { BackboneConfig } from "../core/backbone/config.ts";
import type { Backbone, RequiredReader } from "../core/contract/backbone.ts";
import type { Clock } from "../core/contract/clock.ts";
import type { Logger } from "../core/contract/logger.ts";

export interface BackboneParts {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Its health is not ok while one of these is missing. The embedded backbone has one process, hence always all. */
  readonly requiredReaders?: readonly RequiredReader[];
}

/** Loads the driver of the chosen one only. With NATS it may come back before there is a connection: ask its health. */
export const openBackbone = async (config: BackboneConfig, parts: BackboneParts): Promise<Backbone> => {
  if (config === "embedded") {
    const { openEmbeddedBackbone } = await import("../core/backbone/embedded/open-embedded-backbone.ts");
    return openEmbeddedBackbone(parts);
  }
  const { openNatsBackbone } = await import("../core/backbone/nats/open-nats-backbone.ts");
  const { clock, logger, requiredReaders = [] } = parts;
  return openNatsBackbone({ ...natsConnectionOf(config), clock, logger, requiredReaders });
};

/** Where NATS is and how to sign in there. */
export const natsConnectionOf = ({ nats }: Exclude<BackboneConfig, "embedded">) => {
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

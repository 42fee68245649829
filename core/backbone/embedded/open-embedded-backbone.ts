import type { Backbone } from "../../contract/backbone.ts";
import type { Clock } from "../../contract/clock.ts";
import { systemClock } from "../../contract/clock.ts";
import type { Logger } from "../../contract/logger.ts";
import { Database } from "./database.ts";
import { EmbeddedBackbone } from "./embedded-backbone.ts";

export interface OpenEmbeddedBackboneOptions {
  /** Made if absent. Only one process at a time may have it open. */
  readonly dataDir: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** The pause after a handler's first failure. */
  readonly failurePauseMs?: number;
}

/** Rejects with "data-in-use" or "data-unusable"; both say what to do. */
export const openEmbeddedBackbone = async ({
  dataDir,
  logger,
  clock = systemClock,
  failurePauseMs = 500,
}: OpenEmbeddedBackboneOptions): Promise<Backbone> => {
  const database = new Database(dataDir);
  try {
    return new EmbeddedBackbone(database, { clock, logger, failurePauseMs });
  } catch (error) {
    database.close();
    throw error;
  }
};

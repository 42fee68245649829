import type { Clock } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";

/** What every model is built from, besides its configuration. */
export interface ModelParts {
  readonly clock: Clock;
  readonly logger: Logger;
}

import type { Backbone } from "../../core/contract/ports/backbone.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";

export type ChildBackbone =
  | { kind: "embedded"; dataDir: string; failurePauseMs: number }
  | { kind: "nats"; servers: string[]; prefix: string; leaseMs: number; partitions?: number; failurePauseMs: number };

/** Opens, in a child process, the backbone that its parent describes. */
export const openForChild = async (options: ChildBackbone): Promise<Backbone> => {
  if (options.kind === "embedded") {
    const { openEmbeddedBackbone } = await import("../../core/backbone/embedded/open-embedded-backbone.ts");
    return openEmbeddedBackbone({ ...options, logger: silentLogger });
  }
  const { openNatsBackbone } = await import("../../core/backbone/nats/open-nats-backbone.ts");
  return openNatsBackbone({ ...options, logger: silentLogger });
};

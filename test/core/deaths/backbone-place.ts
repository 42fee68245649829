import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";

export type PlaceOptions = { kind: "embedded"; dataDir: string } | { kind: "nats"; servers: string[] };

/** Where a backbone's data is, while processes on it come and die. */
export interface BackbonePlace {
  readonly options: PlaceOptions;
  dispose(): Promise<void>;
}

/**
 * In any process; on embedded in one at a time. Loads only what it needs, because a process starts for every death. The
 * clock is for the embedded one: another's leases must be by the same time as those of other processes.
 */
export const openPlace = async (options: PlaceOptions, clock: Clock = systemClock): Promise<Backbone> => {
  const rest = { logger: silentLogger, failurePauseMs: 20 };
  if (options.kind === "embedded") {
    const { openEmbeddedBackbone } = await import("../../../core/backbone/embedded/open-embedded-backbone.ts");
    return openEmbeddedBackbone({ dataDir: options.dataDir, clock, ...rest });
  }
  const { openNatsBackbone } = await import("../../../core/backbone/nats/open-nats-backbone.ts");
  return openNatsBackbone({ servers: options.servers, leaseMs: 1_000, partitions: 4, ...rest });
};

export const places: Record<PlaceOptions["kind"], () => Promise<BackbonePlace>> = {
  async embedded() {
    const dataDir = await mkdtemp(join(tmpdir(), "mooring-deaths-"));
    return {
      options: { kind: "embedded", dataDir },
      dispose: () => rm(dataDir, { recursive: true, force: true }),
    };
  },
  async nats() {
    const { NatsServer } = await import("../../fakes/nats-server.ts");
    const server = await NatsServer.start();
    return { options: { kind: "nats", servers: [server.url] }, dispose: () => server.stop() };
  },
};

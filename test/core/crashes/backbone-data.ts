import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";

export type DataOptions = { kind: "embedded"; dataDir: string } | { kind: "nats"; servers: string[] };

/** The data of a backbone, which outlives the processes that use it. */
export interface BackboneData {
  readonly options: DataOptions;
  dispose(): Promise<void>;
}

/**
 * Opens a backbone on the data; the embedded one in one process at a time. Imports are lazy, because a process starts
 * for every crash. Only the embedded backbone uses the clock: leases on NATS need the same time in all processes.
 */
export const openBackbone = async (options: DataOptions, clock: Clock = systemClock): Promise<Backbone> => {
  const rest = { logger: silentLogger, failurePauseMs: 20 };
  if (options.kind === "embedded") {
    const { openEmbeddedBackbone } = await import("../../../core/backbone/embedded/open-embedded-backbone.ts");
    return openEmbeddedBackbone({ dataDir: options.dataDir, clock, ...rest });
  }
  const { openNatsBackbone } = await import("../../../core/backbone/nats/open-nats-backbone.ts");
  return openNatsBackbone({ servers: options.servers, leaseMs: 1_000, partitions: 4, ...rest });
};

export const createBackboneData: Record<DataOptions["kind"], () => Promise<BackboneData>> = {
  async embedded() {
    const dataDir = await mkdtemp(join(tmpdir(), "mooring-crashes-"));
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

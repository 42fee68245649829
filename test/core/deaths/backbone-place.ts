import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedBackbone } from "../../../core/backbone/embedded/open-embedded-backbone.ts";
import { openNatsBackbone } from "../../../core/backbone/nats/open-nats-backbone.ts";
import type { Backbone } from "../../../core/contract/backbone.ts";
import { silentLogger } from "../../../core/contract/logger.ts";
import { NatsServer } from "../../fakes/nats-server.ts";

export type PlaceOptions = { kind: "embedded"; dataDir: string } | { kind: "nats"; servers: string[] };

/** Where a backbone's data is, while processes on it come and die. */
export interface BackbonePlace {
  readonly options: PlaceOptions;
  dispose(): Promise<void>;
}

/** In any process; on embedded in one at a time. */
export const openPlace = (options: PlaceOptions): Promise<Backbone> =>
  options.kind === "embedded"
    ? openEmbeddedBackbone({ dataDir: options.dataDir, logger: silentLogger, failurePauseMs: 20 })
    : openNatsBackbone({ servers: options.servers, logger: silentLogger, failurePauseMs: 20, leaseMs: 1_000 });

export const places: Record<PlaceOptions["kind"], () => Promise<BackbonePlace>> = {
  async embedded() {
    const dataDir = await mkdtemp(join(tmpdir(), "mooring-deaths-"));
    return {
      options: { kind: "embedded", dataDir },
      dispose: () => rm(dataDir, { recursive: true, force: true }),
    };
  },
  async nats() {
    const server = await NatsServer.start();
    return { options: { kind: "nats", servers: [server.url] }, dispose: () => server.stop() };
  },
};

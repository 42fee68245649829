import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { ChildBackbone } from "../../contract/open-for-child.ts";
import { NatsServer } from "../../fakes/nats-server.ts";

/** A place with data for one test. */
export interface BackbonePlace {
  readonly backbone: ChildBackbone;
  dispose(): Promise<void>;
}

export const embeddedPlace = async (): Promise<BackbonePlace> => {
  const dataDir = await mkdtemp(join(tmpdir(), "mooring-relay-deaths-"));
  return {
    backbone: { kind: "embedded", dataDir, failurePauseMs: 5 },
    dispose: () => rm(dataDir, { recursive: true, force: true }),
  };
};

/** Places on one nats-server, which runs as long as the tests of the file do. */
export const natsPlaces = (): (() => Promise<BackbonePlace>) => {
  let server: NatsServer;
  let places = 0;
  beforeAll(async () => {
    server = await NatsServer.start();
  });
  afterAll(() => server.stop());
  return async () => ({
    backbone: {
      kind: "nats",
      servers: [server.url],
      prefix: `place-${++places}`,
      leaseMs: 1_000,
      partitions: 4,
      failurePauseMs: 5,
    },
    dispose: async () => undefined,
  });
};

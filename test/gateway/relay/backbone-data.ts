import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { ChildBackbone } from "../../contract/open-for-child.ts";
import { NatsServer } from "../../fakes/nats-server.ts";

/** A backbone with data for one test. */
export interface BackboneData {
  readonly backbone: ChildBackbone;
  dispose(): Promise<void>;
}

export const embeddedData = async (): Promise<BackboneData> => {
  const dataDir = await mkdtemp(join(tmpdir(), "mooring-relay-crashes-"));
  return {
    backbone: { kind: "embedded", dataDir, failurePauseMs: 5 },
    dispose: () => rm(dataDir, { recursive: true, force: true }),
  };
};

/** Backbones on one nats-server, which runs as long as the tests of the file. */
export const natsData = (): (() => Promise<BackboneData>) => {
  let server: NatsServer;
  let count = 0;
  beforeAll(async () => {
    server = await NatsServer.start();
  });
  afterAll(() => server.stop());
  return async () => ({
    backbone: {
      kind: "nats",
      servers: [server.url],
      prefix: `data-${++count}`,
      leaseMs: 1_000,
      partitions: 4,
      failurePauseMs: 5,
    },
    dispose: async () => undefined,
  });
};

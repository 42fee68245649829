import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { NatsConnector } from "../../../../../core/backbone/nats/connection/nats-connector.ts";
import { natsOptions } from "../../../../../core/backbone/nats/connection/nats-options.ts";
import { KvBucket } from "../../../../../core/backbone/nats/kv/kv-bucket.ts";
import { Sweeper } from "../../../../../core/backbone/nats/kv/sweeper.ts";
import type { Clock } from "../../../../../core/contract/ports/clock.ts";
import { systemClock } from "../../../../../core/contract/ports/clock.ts";
import { NatsServer } from "../../../../fakes/nats-server.ts";

const HOUR = 3_600_000;
const value = Buffer.from("1");

describe("given expired values and deletion markers", () => {
  it("when one of several processes sweeps, then they are removed, valid entries stay, and the other processes do not sweep", async () => {
    const server = await NatsServer.start();
    let ahead = 0;
    const clock: Clock = { ...systemClock, now: () => Date.now() + ahead };
    const options = natsOptions({ servers: [server.url], clock });
    const connector = new NatsConnector(options, async () => undefined);
    try {
      await connector.open();
      const bucket = new KvBucket(connector, { name: "mooring_things", replicas: 1 });
      const foreign = new KvBucket(connector, { name: "other_things", replicas: 1 });
      const turns = new KvBucket(connector, { name: "mooring_bus_partitions", replicas: 1 });
      for (const each of [bucket, foreign]) {
        await each.write("expired", value, { expiresAt: Date.now() + HOUR / 2 });
        await each.write("deleted", value);
        await each.remove("deleted");
        await each.write("later", value, { expiresAt: Date.now() + 9 * HOUR });
        await each.write("for-ever", value);
      }
      const left = async (each: KvBucket) => (await each.scan(">", { headersOnly: true })).map(({ key }) => key).sort();
      const sweepers = [1, 2, 3].map(() => new Sweeper(connector, turns, options));
      await Promise.all(sweepers.map((sweeper) => sweeper.sweepIfDue()));
      expect(await left(bucket)).toEqual(["deleted", "expired", "for-ever", "later"]);
      ahead = HOUR;
      await Promise.all(sweepers.map((sweeper) => sweeper.sweepIfDue()));
      expect(await left(bucket)).toEqual(["for-ever", "later"]);
      expect(await left(foreign)).toEqual(["deleted", "expired", "for-ever", "later"]);
      expect(await bucket.write("deleted", value, { ifRevision: 0 })).toBeGreaterThan(0);
    } finally {
      await connector.close();
      await server.stop();
    }
  });

  it("when a value is written after the sweep saw the old one, then the new one stays", async () => {
    const server = await NatsServer.start();
    const connector = new NatsConnector(natsOptions({ servers: [server.url] }), async () => undefined);
    try {
      await connector.open();
      const bucket = new KvBucket(connector, { name: "mooring_things", replicas: 1 });
      const seen = await bucket.write("key", value);
      const newer = await bucket.write("key", value);
      await bucket.purge("key", seen);
      expect((await bucket.read("key"))?.revision).toBe(newer);
    } finally {
      await connector.close();
      await server.stop();
    }
  });

  it("when each user may sweep only its own buckets, then both sweep, and none is left", async () => {
    const configFile = fileURLToPath(new URL("../../../../../docs/nats-server.conf", import.meta.url));
    const env = { GATEWAY_PASSWORD: "of-the-gateway", CORE_PASSWORD: "of-the-core" };
    const server = await NatsServer.start({ configFile, env });
    const connectors: NatsConnector[] = [];
    try {
      const [core, gateway] = await Promise.all(
        ["core", "gateway"].map(async (user) => {
          const auth = { user, password: `of-the-${user}` };
          const clock: Clock = { ...systemClock, now: () => Date.now() + HOUR };
          const options = natsOptions({ servers: [server.url], auth, inboxPrefix: `_INBOX_${user}`, clock });
          const connector = new NatsConnector(options, async () => undefined);
          connectors.push(connector);
          await connector.open();
          const bucket = (name: string) => new KvBucket(connector, { name: `mooring_${name}`, replicas: 1 });
          return { bucket, sweeper: new Sweeper(connector, bucket("bus_partitions"), options) };
        }),
      );
      const [turns, audit] = [core?.bucket("turns"), gateway?.bucket("audit")];
      for (const bucket of [turns, audit]) await bucket?.write("expired", value, { expiresAt: Date.now() });
      const left = (bucket: KvBucket | undefined) => bucket?.scan(">", { headersOnly: true });
      await core?.sweeper.sweepIfDue();
      expect([await left(turns), await left(audit)]).toEqual([[], [expect.objectContaining({ key: "expired" })]]);
      await gateway?.sweeper.sweepIfDue();
      expect(await left(audit)).toEqual([]);
    } finally {
      await Promise.all(connectors.map((connector) => connector.close()));
      await server.stop();
    }
  });
});

import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NatsConnector } from "../../../../../../core/backbone/nats/connection/nats-connector.ts";
import { natsOptions } from "../../../../../../core/backbone/nats/connection/nats-options.ts";
import { KvBucket } from "../../../../../../core/backbone/nats/kv/kv-bucket.ts";
import { Membership } from "../../../../../../core/backbone/nats/partitions/members/membership.ts";
import { systemClock as clock } from "../../../../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../../../../core/contract/ports/logger.ts";
import { NatsServer } from "../../../../../fakes/nats-server.ts";
import { Recorder } from "../../../../../fakes/recorder.ts";

let server: NatsServer;
let connector: NatsConnector;
beforeEach(async () => {
  server = await NatsServer.start();
  connector = new NatsConnector(natsOptions({ servers: [server.url], leaseMs: 300, logger }), async () => undefined);
  await connector.open();
});
afterEach(async () => {
  await connector.close();
  await server.stop();
});

/** The watch reports a write before the write is answered, as can happen on a busy machine. */
class LateAnswers extends KvBucket {
  readonly notifications = new Recorder<"changed">();

  override async write(...args: Parameters<KvBucket["write"]>): Promise<number> {
    const before = this.notifications.items.length;
    const revision = await super.write(...args);
    if (args[2]?.ifRevision === 0) await this.notifications.until((all) => all.length > before);
    return revision;
  }
}

describe("given a member that was declared dead", () => {
  it("when the watch reports its new record before the write is answered, then its groups reconcile again", async () => {
    const session = connector.current;
    if (session === undefined) throw new Error("there is no connection");
    const bucket = new LateAnswers(connector, { name: "test_members", replicas: 1 });
    const events = new Recorder<"reconciled" | "fenced">();
    // A group also reconciles only while the process is a member.
    const reconcile = () => void (membership.isMember && events.add("reconciled"));
    const membership = new Membership({
      bucket,
      clock,
      logger,
      leaseMs: 300,
      newId: randomUUID,
      random: Math.random,
      reading: () => "",
      reported: () => undefined,
      changed: () => {
        bucket.notifications.add("changed");
        reconcile();
      },
      fenced: () => void events.add("fenced"),
      leaseRegained: reconcile,
    });
    await membership.setGroups(["g"]);
    await membership.begin(session);
    await events.until((all) => all.includes("reconciled"));
    await bucket.remove(membership.id, {});
    await events.until((all) => all.includes("fenced") && all.lastIndexOf("reconciled") > all.indexOf("fenced"));
    expect(membership.isMember).toBe(true);
    await membership.close(1_000);
  });
});

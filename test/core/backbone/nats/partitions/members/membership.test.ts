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

const begun = async (bucket: KvBucket, beats: KvBucket) => {
  const session = connector.current;
  if (session === undefined) throw new Error("there is no connection");
  const events = new Recorder<"fenced">();
  const membership = new Membership({
    bucket,
    beats,
    clock,
    logger,
    leaseMs: 300,
    newId: randomUUID,
    random: Math.random,
    canShare: () => true,
    reading: () => "",
    reported: () => undefined,
    changed: () => undefined,
    fenced: () => void events.add("fenced"),
    leaseRegained: () => undefined,
  });
  await membership.setGroups(["g"]);
  await membership.begin(session);
  return { membership, events };
};

/** Reports each renewal of a beat. */
class RecordedBeats extends KvBucket {
  readonly beats = new Recorder<number>();

  override async write(...args: Parameters<KvBucket["write"]>): Promise<number> {
    const revision = await super.write(...args);
    this.beats.add(revision);
    return revision;
  }
}

describe("given a member whose groups and partitions do not change", () => {
  const buckets = () => ({
    bucket: new KvBucket(connector, { name: "test_members", replicas: 1 }),
    beats: new RecordedBeats(connector, { name: "test_beats", replicas: 1 }),
  });

  it("when it closes, then it deletes its record and its beat", async () => {
    const { bucket, beats } = buckets();
    const { membership } = await begun(bucket, beats);
    const { id } = membership;
    expect((await bucket.read(id))?.deleted).toBe(false);
    expect((await beats.read(id))?.deleted).toBe(false);
    await membership.close(1_000);
    expect((await bucket.read(id))?.deleted).toBe(true);
    expect((await beats.read(id))?.deleted).toBe(true);
  });

  it("when another process deletes its beat, then it is fenced and rejoins under a new id", async () => {
    const { bucket, beats } = buckets();
    const { membership, events } = await begun(bucket, beats);
    const before = membership.id;
    await beats.remove(before, {});
    await events.until((all) => all.includes("fenced"));
    expect(membership.id).not.toBe(before);
    await membership.close(1_000);
  });

  it("when a record of version 0.2 is among the members, then it rewrites its own record with each beat", async () => {
    const { bucket, beats } = buckets();
    const { membership } = await begun(bucket, beats);
    const joined = (await bucket.read(membership.id))?.revision ?? 0;
    await bucket.write("old", Buffer.from(JSON.stringify({ groups: ["g"], beat: 1, format: 1 })));
    const before = beats.beats.items.length;
    await beats.beats.until((all) => all.length >= before + 3);
    expect((await bucket.read(membership.id))?.revision).toBeGreaterThan(joined);
    await membership.close(1_000);
  });
});

describe("given a member without a beat", () => {
  it("when another process checks it, then the process deletes its record", async () => {
    const bucket = new KvBucket(connector, { name: "test_members", replicas: 1 });
    const beats = new RecordedBeats(connector, { name: "test_beats", replicas: 1 });
    const { membership } = await begun(bucket, beats);
    const record = { groups: ["g"], beat: 1, format: 1, reading: [""], separateBeat: true };
    await bucket.write("left-behind", Buffer.from(JSON.stringify(record)));
    let isDeleted = false;
    while (!isDeleted) {
      const before = beats.beats.items.length;
      await beats.beats.until((all) => all.length > before);
      isDeleted = (await bucket.read("left-behind"))?.deleted === true;
    }
    // A late beat of that member is refused.
    await expect(beats.write("left-behind", Buffer.from("{}"), { ifRevision: 0 })).rejects.toThrow();
    await membership.close(1_000);
  });
});

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
      beats: new KvBucket(connector, { name: "test_beats", replicas: 1 }),
      clock,
      logger,
      leaseMs: 300,
      newId: randomUUID,
      random: Math.random,
      canShare: () => true,
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

import { describe, expect, it } from "vitest";
import { ack } from "../../../../core/contract/ports/bus.ts";
import { NatsCluster } from "../../../fakes/nats-cluster.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { timed } from "../../../setup/stopwatch.ts";
import { cleanup } from "./rig/cleanup.ts";
import { eventually } from "./rig/eventually.ts";
import { numbered, numbers } from "./rig/samples.ts";

const start = cleanup();
const LEASE_MS = 1_000;
const subject = numbers("shared");
const required = { subject, durable: "shared", label: 'messages to agent "x"' };

describe("given a cluster of three and replicas 3 (F35)", () => {
  it("when two nodes are killed, then health reports the quorum within seconds; when they are back, then it is ok", async () => {
    const cluster = await NatsCluster.start();
    try {
      const logger = new RecordingLogger();
      const backbone = await start.backbone({ servers: cluster.urls.slice(0, 1), replicas: 3, partitions: 2, logger });
      await backbone.bus.publish(subject, numbered(0), { id: "k/0", key: "k" });
      expect(backbone.health()).toEqual({ ok: true });
      await Promise.all([cluster.kill(1), cluster.kill(2)]);
      const reported = await timed(() =>
        eventually(() =>
          expect(backbone.health()).toMatchObject({ ok: false, reason: expect.stringContaining("quorum") }),
        ),
      );
      expect(reported.undelayedMs).toBeLessThan(8_000);
      await eventually(() => expect(backbone.writeProblem()).toContain("quorum"));
      await Promise.all([cluster.restart(1), cluster.restart(2)]);
      await cluster.whenUsable();
      await eventually(() => expect(backbone.health()).toEqual({ ok: true }));
      expect(backbone.writeProblem()).toBeUndefined();
      const lines = logger.lines.items.filter(({ message }) => /NATS (does not store|stores) writes/.test(message));
      expect(lines.length).toBeLessThanOrEqual(4);
    } finally {
      await cluster.stop();
    }
  });
});

describe("given a suspended server with open connections", () => {
  it("when it does not confirm a write, then health is not ok before the connection is closed as stale", async () => {
    const server = await start.server();
    const wire = await start.wire(server.port);
    const backbone = await start.backbone({ servers: [wire.url] });
    await eventually(() => expect(backbone.health()).toEqual({ ok: true }));
    wire.lose("server", (frame) => frame.startsWith("MSG _INBOX"));
    const reported = await timed(() =>
      eventually(() =>
        expect(backbone.health()).toMatchObject({ ok: false, reason: expect.stringContaining("does not confirm") }),
      ),
    );
    expect(reported.undelayedMs).toBeLessThan(8_000);
    wire.lose("server", () => false);
    await eventually(() => expect(backbone.health()).toEqual({ ok: true }));
  });
});

describe("given a server that is killed", () => {
  it("when it restarts at once, then no message is refused; when it stays down, then all are (F35)", async () => {
    const server = await start.server();
    const backbone = await start.backbone({ servers: [server.url] });
    await eventually(() => expect(backbone.health()).toEqual({ ok: true }));
    await server.restart();
    expect(backbone.writeProblem()).toBeUndefined();
    await backbone.bus.publish(subject, numbered(1), { id: "k/1", key: "k" });
    expect(backbone.writeProblem()).toBeUndefined();
    const reported: { ok: boolean; problem: boolean }[] = [];
    backbone.onHealthChange(() =>
      reported.push({ ok: backbone.health().ok, problem: backbone.writeProblem() !== undefined }),
    );
    await server.kill();
    await eventually(() => expect(backbone.writeProblem()).toContain("NATS"));
    await server.restart();
    await eventually(() => expect(backbone.writeProblem()).toBeUndefined());
    expect(reported).toContainEqual({ ok: false, problem: false });
    expect(reported).toContainEqual({ ok: false, problem: true });
    await eventually(() => expect(reported.at(-1)).toEqual({ ok: true, problem: false }));
  });
});

describe("given a gateway that requires readers of its messages", () => {
  it("when the server starts after more than two leases, then health is ok for the grace time (F4)", async () => {
    const server = await start.server({ startLater: true });
    const options = { servers: [server.url], leaseMs: 500, requiredReaders: [required] };
    const gateway = await start.backbone(options);
    const openedAt = performance.now();
    await eventually(() => expect(performance.now() - openedAt).toBeGreaterThan(1_100));
    await server.restart();
    await eventually(() => expect(gateway.health()).toEqual({ ok: true }));
    await gateway.bus.consume(numbers("answers"), { durable: "relay", concurrency: 1 }, async () => ack);
    await eventually(() => expect(gateway.health()).toMatchObject({ reason: expect.stringContaining("no process") }));
  });

  it("when the core process is killed, then health is not ok within two leases, and ok when one is back (F35)", async () => {
    const { url } = await start.server();
    const options = { servers: [url], leaseMs: LEASE_MS };
    const core = await start.child(url, { leaseMs: LEASE_MS });
    const gateway = await start.backbone({ ...options, requiredReaders: [required] });
    await gateway.bus.consume(numbers("answers"), { durable: "relay", concurrency: 1 }, async () => ack);
    expect(gateway.health()).toEqual({ ok: true });
    await core.end("SIGKILL");
    const reported = await timed(() => eventually(() => expect(gateway.health().ok).toBe(false)));
    expect(gateway.health()).toMatchObject({
      reason: 'no process reads messages to agent "x" (32 of 32 partitions); check that a core process runs',
    });
    expect(reported.undelayedMs).toBeLessThan(2 * LEASE_MS + 1_000);
    const next = await start.backbone(options);
    await next.bus.consume(subject, { durable: "shared", concurrency: 1 }, async () => ack);
    await eventually(() => expect(gateway.health()).toEqual({ ok: true }));
  });
});

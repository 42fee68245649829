import { describe, expect, it } from "vitest";
import { playFaults } from "./play-faults.ts";
import { CHANGES, playStep, stepsOf, type Versions } from "./play-steps.ts";
import { SimulatedCluster } from "./simulated-cluster.ts";

const leaseMs = 10_000;
/** Plays a sample; `npm run scale -- --steps --mixed` plays all steps of the first row. */
const EVERY = process.env.MOORING_SOAK ? 1 : 83;

const expectAllHandled = async (cluster: SimulatedCluster) => {
  expect(cluster.misread).toEqual([]);
  cluster.stopPublishing();
  await cluster.pass(leaseMs);
  expect(cluster.handled).toBe(cluster.published);
  expect(cluster.violations).toEqual([]);
};

const declaredDead = (cluster: SimulatedCluster): number =>
  cluster.logger.lines.items.filter(({ message }) => message === "consumer process declared dead").length;

describe("given processes of version 0.2, which renew their records instead of a beat", () => {
  it("when they are replaced one by one and one returns, then no process is declared dead, and each message is handled once in order", async () => {
    const cluster = new SimulatedCluster({ seed: 1, partitions: 16, leaseMs, messagesPerSecond: 20, keys: 50 });
    for (let n = 0; n < 3; n++) cluster.join("0.2");
    cluster.publishSteadily();
    await cluster.pass(2 * leaseMs);
    for (const old of ["p1", "p2", "p3"]) {
      cluster.join();
      await cluster.pass(1.5 * leaseMs);
      await cluster.leave(old);
      await cluster.pass(1.5 * leaseMs);
    }
    expect(cluster.owners).toEqual(["p4", "p5", "p6"]);
    cluster.join("0.2");
    await cluster.pass(4 * leaseMs);
    expect(cluster.owners).toEqual(["p4", "p5", "p6", "p7"]);
    expect(declaredDead(cluster)).toBe(0);
    expect(cluster.handledAgain).toBe(0);
    await expectAllHandled(cluster);
  });

  it("when both versions run and a process of either one crashes, then the other version takes its partitions", async () => {
    for (const crashed of ["p1", "p2"]) {
      const cluster = new SimulatedCluster({ seed: 1, partitions: 16, leaseMs, messagesPerSecond: 20, keys: 50 });
      cluster.join("0.2");
      cluster.join();
      cluster.publishSteadily();
      await cluster.pass(3 * leaseMs);
      cluster.crash(crashed);
      await cluster.pass(2 * leaseMs);
      expect(declaredDead(cluster)).toBe(1);
      await expectAllHandled(cluster);
    }
  });

  it("when one joins and a process of this version sees no update, then the process rewrites its record and is not declared dead", async () => {
    const cluster = new SimulatedCluster({ seed: 1, partitions: 16, leaseMs, messagesPerSecond: 20, keys: 50 });
    cluster.join();
    cluster.join();
    cluster.publishSteadily();
    await cluster.pass(3 * leaseMs);
    cluster.setFaults((process, kind) => (process === "p1" && kind === "update" ? "lost" : undefined));
    cluster.join("0.2");
    await cluster.pass(4 * leaseMs);
    expect(declaredDead(cluster)).toBe(0);
    expect(cluster.violations).toEqual([]);
    cluster.setFaults();
    await cluster.pass(2 * leaseMs);
    await expectAllHandled(cluster);
  });

  it("when one joins and a process of this version can neither see nor check the members, then the process rewrites its record", async () => {
    const cluster = new SimulatedCluster({ seed: 1, partitions: 16, leaseMs, messagesPerSecond: 20, keys: 50 });
    cluster.join();
    cluster.publishSteadily();
    await cluster.pass(3 * leaseMs);
    const lost = ["update", "stream info"];
    cluster.setFaults((process, kind) => (process === "p1" && lost.includes(kind) ? "lost" : undefined));
    cluster.join("0.2");
    await cluster.pass(4 * leaseMs);
    expect(declaredDead(cluster)).toBe(0);
    expect(cluster.violations).toEqual([]);
    cluster.setFaults();
    await cluster.pass(2 * leaseMs);
    await expectAllHandled(cluster);
  });

  const many = Array.from({ length: process.env.MOORING_SOAK ? 1_000 : 0 }, (_, n) => n + 1_000);
  it.each([1, 2, 3, 4, 5, ...many])(
    "when any request of both versions fails in any way while processes join and leave (seed %i), then each partition is read by one process within two leases",
    async (seed) => {
      const { misread, violations, handled, published } = await playFaults(seed, { mixed: true });
      expect(misread).toEqual([]);
      expect(violations).toEqual([]);
      expect(handled).toBe(published);
    },
  );

  const mixes: readonly Versions[] = [
    ["0.2", "current", "0.2"],
    ["current", "0.2", "current"],
    ["current", "current", "0.2"],
  ];
  it.each(CHANGES.flatMap((change) => mixes.map((versions) => ({ change, versions, mix: versions.join(", ") }))))(
    "when one message of a $change fails among $mix, then each partition is read by one process within two leases",
    async ({ change, versions }) => {
      const steps = await stepsOf(change, versions);
      for (const step of steps.filter((_, index) => index % EVERY === 0)) {
        const { misread, violations, published, handled } = await playStep(change, step, versions);
        expect({ step, misread, violations, handled }).toEqual({
          step,
          misread: [],
          violations: [],
          handled: published,
        });
      }
    },
    process.env.MOORING_SOAK ? 3_600_000 : undefined,
  );
});

import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { NatsCluster } from "../fakes/nats-cluster.ts";
import { timed } from "../setup/stopwatch.ts";
import { Product, type StartedProcess } from "./product.ts";

beforeAll(requireFreshBuild);

/** The lease that the harness configures. */
const LEASE_MS = 1_000;
const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const create = async (): Promise<Product> => {
  const product = await Product.create({ backbone: "nats" });
  undo.push(() => product.dispose());
  return product;
};

const readiness = async ({ address }: StartedProcess): Promise<{ status: number; body: string }> => {
  const response = await fetch(`${address}/health/ready`);
  return { status: response.status, body: await response.text() };
};

/** Milliseconds until the response is as expected, without delays by other load. */
const until = async (gateway: StartedProcess, status: number, reason: string): Promise<number> => {
  const { undelayedMs } = await timed(() =>
    vi.waitFor(
      async () => expect(await readiness(gateway)).toEqual({ status, body: expect.stringContaining(reason) }),
      { timeout: 60_000, interval: 20 },
    ),
  );
  return undelayedMs;
};

describe("given a gateway and a core as processes on NATS", () => {
  it("when the only core is killed, then the gateway is not ready within two leases; when it is back, it is", async () => {
    const product = await create();
    const core = await product.start("core");
    const gateway = await product.start("gateway");
    await Promise.all([core.ready(), gateway.ready()]);
    await core.end("SIGKILL");
    expect(await until(gateway, 503, "no process reads messages to agent")).toBeLessThan(2 * LEASE_MS + 1_500);
    expect(await (await fetch(`${gateway.address}/metrics`)).text()).toMatch(/^mooring_ready 0$/m);
    const next = await product.start("core");
    await next.ready();
    await until(gateway, 200, "");
    const visitor = product.client("visitor", gateway.address);
    expect((await visitor.answerTo(visitor.say("hello there"))).markdown).toContain("demo");
  });

  it("when a core is restarted beside another, then the gateway stays ready", async () => {
    const product = await create();
    const [one, two, gateway] = [
      await product.start("core"),
      await product.start("core"),
      await product.start("gateway"),
    ];
    await Promise.all([one.ready(), two.ready(), gateway.ready()]);
    const looks: Promise<{ status: number }>[] = [];
    const look = setInterval(() => looks.push(readiness(gateway)), 50);
    await one.end("SIGTERM");
    const next = await product.start("core");
    await next.ready();
    await two.end("SIGTERM");
    clearInterval(look);
    // Awaited before the gateway stops, which would reject them.
    const seen = await Promise.all(looks);
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("given a process on a cluster of three with replicas 3 (F35)", () => {
  it("when two nodes are killed, then it is not ready within seconds and says why; when they are back, it is", async () => {
    const cluster = await NatsCluster.start();
    undo.push(() => cluster.stop());
    const product = await create();
    const nats = { servers: cluster.urls, leaseMs: LEASE_MS, partitions: 4, replicas: 3 };
    const mooring = await product.start("start", { backbone: { nats } });
    await mooring.ready();
    await Promise.all([cluster.kill(0), cluster.kill(1)]);
    expect(await until(mooring, 503, "NATS")).toBeLessThan(8_000);
    await until(mooring, 503, "quorum");
    await Promise.all([cluster.restart(0), cluster.restart(1)]);
    await cluster.whenUsable();
    await until(mooring, 200, "");
  });
});

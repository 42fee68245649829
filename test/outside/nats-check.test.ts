import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { requireFreshBuild, startMooring } from "../e2e/mooring-process.ts";
import { NatsCluster } from "../fakes/nats-cluster.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { freePort } from "../setup/free-port.ts";
import { timed } from "../setup/stopwatch.ts";
import { type Command, Product } from "./product.ts";

beforeAll(requireFreshBuild);

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const startCluster = async (): Promise<NatsCluster> => {
  const cluster = await NatsCluster.start();
  undo.push(() => cluster.stop());
  return cluster;
};

const startServer = async (): Promise<NatsServer> => {
  const server = await NatsServer.start();
  undo.push(() => server.stop());
  return server;
};

/** The folder and the processes of an operator; its own nats-server is not used. */
const createProduct = async (): Promise<Product> => {
  const product = await Product.create({ backbone: "embedded" });
  undo.push(() => product.dispose());
  return product;
};

interface Checked {
  readonly code: number | null;
  readonly output: string;
  readonly ms: number;
}

const check = async ({ folder }: Product, nats: object): Promise<Checked> => {
  const config = { gateway: { port: await freePort() }, backbone: { nats }, agents: [{ name: "a", model: "demo" }] };
  await writeFile(join(folder, "check.yaml"), JSON.stringify(config));
  const checking = startMooring(["check", "--live", "--config", "check.yaml"], { cwd: folder });
  const { result, undelayedMs } = await timed(() => checking.exited);
  return { code: result.code, output: checking.stdout() + checking.stderr(), ms: undelayedMs };
};

describe("given a cluster of three and replicas 3 (F35)", () => {
  it("when it is checked healthy, without a node and without its quorum, then each check reports the state", async () => {
    const cluster = await startCluster();
    const product = await createProduct();
    const nats = { servers: cluster.urls, leaseMs: 1_000, partitions: 4, replicas: 3 };
    const mooring = await product.start("start", { backbone: { nats } });
    await mooring.ready();
    await mooring.end();

    const healthy = await check(product, nats);
    expect(healthy.output).toMatch(
      /ok +backbone: NATS \d+\.\d+\.\d+ with JetStream, cluster "local", nodes up: 3 of 3\n/,
    );
    for (const node of ["n1", "n2", "n3"]) expect(healthy.output).toMatch(new RegExp(`\\n +${node} +127\\.0\\.0\\.1:`));
    expect(healthy.output).toMatch(/ok +quorum: JetStream, each stream and each bucket have a leader; 2 of 3 nodes/);
    expect(healthy.output).toMatch(/ok +replicas: \d+ streams and \d+ buckets with 3 replicas each, all current\n/);
    expect(healthy.output).toMatch(/streams: .*mooring_a2a_call/);
    expect(healthy.output).toMatch(/buckets: .*mooring_bus_health/);
    expect(healthy.output).toMatch(/note +sync setting: NATS/);
    expect(healthy.output).toContain("No problems found.");
    expect(healthy.code).toBe(0);

    await cluster.kill(2);
    await cluster.whenMissed(2);
    const degraded = await check(product, nats);
    expect(degraded.output).toMatch(/warning +backbone: .*nodes up: 2 of 3; start the others/);
    expect(degraded.output).toMatch(/\n +n3 +127\.0\.0\.1:\d+ +no answer \(CONNECTION_REFUSED\)/);
    expect(degraded.output).toMatch(/ok +quorum: /);
    expect(degraded.output).toMatch(/warning +replicas: .* with 3 replicas, offline on n3\n/);
    expect(degraded.code).toBe(0);

    await cluster.kill(1);
    const down = await check(product, nats);
    expect(down.output).toMatch(
      /problem +quorum: none, nothing is stored .*: 2 of 3 nodes must be up; start the others/,
    );
    expect(down.output).toMatch(/note +channels: not checked/);
    expect(down.code).toBe(1);
    expect(down.ms).toBeLessThan(10_000);
  });

  it("when a process starts while a node is down, then it connects and does not end", async () => {
    const cluster = await startCluster();
    const product = await createProduct();
    const nats = { servers: cluster.urls, leaseMs: 1_000, partitions: 1, replicas: 3 };
    const first = await product.start("core", { backbone: { nats } });
    await first.ready();
    await first.end();
    await cluster.kill(0);
    await cluster.whenMissed(0);
    const second = await product.start("core", { backbone: { nats } });
    await vi.waitFor(() => expect(second.stderr()).toContain('"NATS connected"'), 20_000);
    expect((await fetch(`${second.address}/health/live`)).status).toBe(200);
  });
});

describe("given a single nats-server and replicas 3", () => {
  it.each<Command>(["start", "gateway", "core"])(
    "when %s is run, then it exits at once with advice",
    async (command) => {
      const server = await startServer();
      const product = await createProduct();
      const nats = { servers: [server.url], replicas: 3 };
      const mooring = await product.start(command, { backbone: { nats } });
      expect(await mooring.exited).toEqual({ code: 1, signal: null });
      expect(mooring.stderr()).toMatch(
        /\nmooring: backbone\.nats\.replicas is 3, but NATS at .* is a single server; set nats\.replicas to 1 or run a cluster of at least 3 nodes\n/,
      );
    },
  );

  it("when it is checked, also with data of replicas 1, then the check fails with the same advice", async () => {
    const server = await startServer();
    const product = await createProduct();
    expect((await check(product, { servers: [server.url] })).code).toBe(0);
    const { code, output } = await check(product, { servers: [server.url], replicas: 3 });
    expect(output).toMatch(/problem +backbone: .* is a single server; set nats\.replicas to 1 or run a cluster/);
    expect(code).toBe(1);
  });
});

describe("given a cluster of three and replicas 5", () => {
  it("when it starts, then it exits with advice", async () => {
    const cluster = await startCluster();
    const product = await createProduct();
    const mooring = await product.start("start", { backbone: { nats: { servers: cluster.urls, replicas: 5 } } });
    expect(await mooring.exited).toEqual({ code: 1, signal: null });
    expect(mooring.stderr()).toMatch(/\nmooring: .*cluster "local" has fewer nodes .*set nats\.replicas to 1 or run/);
  });
});

import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Deployment } from "../e2e/deployment.ts";
import type { MooringProcess } from "../e2e/mooring-process.ts";
import { NatsCluster } from "../fakes/nats-cluster.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { dumpCluster } from "./cluster-dump.ts";
import { ClusterFaults } from "./cluster-faults.ts";
import type { ClusterFault, NatsFault, NodeFault, ProcessFault, Role } from "./plan/fault.ts";
import type { Backbone } from "./plan/plan.ts";

interface Part {
  readonly role: Role;
  readonly nth: number;
  process?: MooringProcess;
  /** The address of the process that was ready last. */
  address: string;
  /** Resolves when the current process is ready. */
  up: Promise<void>;
}

const NOWHERE = "http://127.0.0.1:9";
const FROZEN_MS = 3_000;
const MAX_CRASHES = 5;

const PROCESSES: Readonly<Record<Backbone, readonly (readonly [Role, number])[]>> = {
  embedded: [["gateway", 0]],
  nats: [
    ["gateway", 0],
    ["gateway", 1],
    ["core", 0],
    ["core", 1],
  ],
  "nats-cluster": [
    ["gateway", 0],
    ["core", 0],
    ["core", 1],
  ],
};

/** The built product as real processes; each can be killed, stopped or frozen, and restarts automatically. */
export class Product {
  /** Unexpected exits. */
  readonly crashes: string[] = [];
  readonly #deployment: Deployment;
  readonly #nats: NatsServer | NatsCluster | undefined;
  readonly #clusterFaults: ClusterFaults | undefined;
  readonly #parts: Part[] = [];
  readonly #ended = new Set<MooringProcess>();
  readonly #said: { name: string; process: MooringProcess }[] = [];
  #under: Promise<void> = Promise.resolve();
  #turns = 0;
  #isOver = false;

  private constructor(deployment: Deployment, nats: NatsServer | NatsCluster | undefined) {
    this.#deployment = deployment;
    this.#nats = nats;
    this.#clusterFaults = nats instanceof NatsCluster ? new ClusterFaults(nats) : undefined;
  }

  /** embedded: one process. nats: a real server, two gateways, two cores. nats-cluster: three, one gateway, two cores. */
  static async start(backbone: Backbone, config: object): Promise<Product> {
    const nats = await startNats(backbone);
    const deployment = await Deployment.create({
      gateway: { host: "127.0.0.1", port: 0, drainMs: 0 },
      backbone: nats ? { nats: { ...natsSettings(nats), partitions: 4 } } : "embedded",
      dataDir: "./data",
      logLevel: "warn",
      ...config,
    });
    const product = new Product(deployment, nats);
    for (const [role, nth] of PROCESSES[backbone]) {
      const part: Part = { role, nth, address: NOWHERE, up: Promise.resolve() };
      product.#parts.push(part);
      product.#run(part);
    }
    await product.allUp();
    return product;
  }

  /** The address of a gateway; another one each time, as behind a load balancer without health checks. */
  gateway(): string {
    const gateways = this.#parts.filter(({ role }) => role === "gateway");
    return gateways[this.#turns++ % gateways.length]?.address ?? NOWHERE;
  }

  async allUp(): Promise<void> {
    await this.#under;
    await this.#clusterFaults?.lifted;
    await Promise.all(this.#parts.map(({ up }) => up));
  }

  /** Resolves when the fault has happened; the process restarts in the background. */
  async disturb({ on, nth, what }: ProcessFault): Promise<void> {
    const part = this.#parts.find((each) => each.role === on && each.nth === nth);
    await part?.up;
    const process = part?.process;
    if (part === undefined || process === undefined) throw new Error(`there is no ${on} ${nth}`);
    if (what === "freeze") {
      process.kill("SIGSTOP");
      part.up = delay(FROZEN_MS).then(() => process.kill("SIGCONT"));
      return;
    }
    this.#ended.add(process);
    process.kill(what === "kill" ? "SIGKILL" : "SIGTERM");
    const { code } = await process.exited;
    if (what === "stop" && code !== 0) this.crashes.push(`${on} ${nth} was told to stop and ended with ${code}`);
    this.#run(part);
  }

  async killNats({ awayMs }: NatsFault): Promise<void> {
    const nats = this.#nats;
    if (!(nats instanceof NatsServer)) throw new Error("there is no single NATS server on this backbone");
    await this.#under;
    await nats.kill();
    this.#under = delay(awayMs).then(() => nats.restart());
  }

  async disturbCluster(fault: NodeFault | ClusterFault): Promise<void> {
    if (this.#clusterFaults === undefined) throw new Error("there is no NATS cluster on this backbone");
    await this.#clusterFaults.inject(fault);
  }

  /** The memory of each process, where the system reports it. */
  memory(): string {
    const held = this.#parts.map(({ role, nth, process }) => `${role} ${nth} ${megabytesOf(process?.pid)} MB`);
    return held.join(", ");
  }

  /** The logs of all processes, to find the cause of a failure. */
  logs(): string {
    return this.#said.map(({ name, process }) => `--- ${name}, pid ${process.pid}\n${process.stderr()}`).join("\n");
  }

  /** The stored state of a cluster's queues and delegated work. */
  async storedState(): Promise<string> {
    return this.#nats instanceof NatsCluster ? dumpCluster(this.#nats.urls) : "";
  }

  async dispose(): Promise<void> {
    this.#isOver = true;
    await this.#under.catch(() => undefined);
    await this.#clusterFaults?.lifted.catch(() => undefined);
    for (const { process } of this.#parts) process?.kill("SIGCONT");
    await this.#deployment.dispose();
    await this.#nats?.stop();
  }

  #run(part: Part): void {
    const { role, nth } = part;
    const process = this.#deployment.run(this.#nats ? role : "start");
    part.process = process;
    part.up = process.running.then(
      (address) => {
        part.address = address;
      },
      () => undefined,
    );
    this.#said.push({ name: `${role} ${nth}`, process });
    void process.exited.then(({ code, signal }) => {
      if (this.#ended.has(process) || this.#isOver) return;
      this.crashes.push(`${role} ${nth} ended by itself with ${code ?? signal}: ${process.stderr().slice(-2_000)}`);
      // The rest of the run is still useful, unless the process does not start again.
      if (this.crashes.length < MAX_CRASHES) this.#run(part);
    });
  }
}

const startNats = async (backbone: Backbone): Promise<NatsServer | NatsCluster | undefined> => {
  if (backbone === "embedded") return undefined;
  return backbone === "nats" ? NatsServer.start() : NatsCluster.start();
};

/** A cluster needs an election before it stores again, and three times the processor for each write. */
const natsSettings = (nats: NatsServer | NatsCluster): object =>
  nats instanceof NatsCluster
    ? { servers: nats.urls, replicas: 3, leaseMs: 3_000 }
    : { servers: [nats.url], leaseMs: 1_000 };

const megabytesOf = (pid: number | undefined): string => {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return String(Math.round(Number(kilobytes) / 1_024));
  } catch {
    return "?";
  }
};

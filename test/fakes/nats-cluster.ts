import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "nats";
import { z } from "zod";
import { freePort } from "../setup/free-port.ts";

/** The parts of https://docs.nats.io/running-a-nats-service/nats_admin/monitoring that say which node leads. */
const Group = z.object({ leader: z.string().optional() });
const Account = z.object({
  stream_detail: z.array(z.object({ name: z.string(), cluster: Group.optional() })).optional(),
});
const ClusterView = z.object({ meta_cluster: Group.optional(), account_details: z.array(Account).optional() });
const Health = z.object({ status: z.string() });
const MONITOR_TIMEOUT_MS = 1_000;

const readJson = async <T>(port: number, path: string, schema: z.ZodType<T>): Promise<T> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(MONITOR_TIMEOUT_MS) });
  return schema.parse(await response.json());
};

interface Node {
  readonly name: string;
  readonly port: number;
  readonly routePort: number;
  readonly monitorPort: number;
  process?: ChildProcess | undefined;
}

/** Three real nats-servers with JetStream on this machine, joined by routes, for `replicas: 3`. */
export class NatsCluster {
  readonly #folder: string;
  readonly #nodes: readonly Node[];

  private constructor(folder: string, nodes: readonly Node[]) {
    this.#folder = folder;
    this.#nodes = nodes;
  }

  /** Resolves once the cluster has a leader and takes streams with three replicas. */
  static async start(): Promise<NatsCluster> {
    const nodes: Node[] = [];
    for (const name of ["n1", "n2", "n3"]) {
      nodes.push({ name, port: await freePort(), routePort: await freePort(), monitorPort: await freePort() });
    }
    const cluster = new NatsCluster(await mkdtemp(join(tmpdir(), "nats-cluster-")), nodes);
    await Promise.all(nodes.map((_, node) => cluster.restart(node)));
    await cluster.whenUsable();
    return cluster;
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** All of them, in the order of their numbers. */
  get urls(): string[] {
    return this.#nodes.map(({ port }) => `nats://127.0.0.1:${port}`);
  }

  /** On the same ports and directory. Does not wait for the cluster; `whenUsable` does. */
  async restart(node: number): Promise<void> {
    await this.kill(node);
    const { name, port, routePort, monitorPort } = this.#node(node);
    const routes = this.#nodes.map((other) => `nats://127.0.0.1:${other.routePort}`).join(",");
    const args = ["-a", "127.0.0.1", "-p", String(port), "-n", name, "-js", "-sd", join(this.#folder, name)];
    args.push("-m", String(monitorPort));
    args.push("--cluster_name", "local", "--cluster", `nats://127.0.0.1:${routePort}`, "--routes", routes);
    this.#node(node).process = spawn("nats-server", args, { stdio: "ignore", cwd: this.#folder });
  }

  /** SIGKILL, which ends a frozen process as well. The stored data stays for restart(). */
  kill(node: number): Promise<void> {
    return this.#end(node, "SIGKILL");
  }

  /** SIGTERM, as an operator stops it. The stored data stays for restart(). */
  shutDown(node: number): Promise<void> {
    return this.#end(node, "SIGTERM");
  }

  /** It stands still, and keeps its connections. */
  freeze(node: number): void {
    this.#node(node).process?.kill("SIGSTOP");
  }

  resume(node: number): void {
    this.#node(node).process?.kill("SIGCONT");
  }

  /** The node that leads this stream, or the whole cluster ("meta"); undefined while an election is under way. */
  async leaderOf(what: "meta" | { readonly stream: string }): Promise<number | undefined> {
    for (const { monitorPort } of this.#nodes) {
      const seen = await readJson(monitorPort, "/jsz?streams=true", ClusterView).catch(() => undefined);
      const streams = seen?.account_details?.flatMap(({ stream_detail: details }) => details ?? []) ?? [];
      const group = what === "meta" ? seen?.meta_cluster : streams.find(({ name }) => name === what.stream)?.cluster;
      const leader = this.#nodes.findIndex(({ name }) => name === group?.leader);
      if (leader >= 0) return leader;
    }
    return undefined;
  }

  /** Resolves once the node has caught up with all streams that it holds a replica of. */
  async whenCaughtUp(node: number, withinMs = 60_000): Promise<void> {
    const { name, monitorPort } = this.#node(node);
    for (const deadline = Date.now() + withinMs; Date.now() < deadline; await delay(100)) {
      const health = await readJson(monitorPort, "/healthz", Health).catch(() => undefined);
      if (health?.status === "ok") return;
    }
    throw new Error(`${name} had not caught up within ${withinMs} ms`);
  }

  /** Resolves once a stream with three replicas can be made and written, through any node that answers. */
  async whenUsable(withinMs = 60_000): Promise<void> {
    const deadline = Date.now() + withinMs;
    for (let last: unknown; ; await delay(100)) {
      if (Date.now() > deadline) throw new Error(`the cluster was not usable within ${withinMs} ms: ${last}`);
      try {
        await this.#writeOnce();
        return;
      } catch (error) {
        last = error;
      }
    }
  }

  /** Resolves once every stream has a leader, and that leader reports that it does not hear from the node. */
  async whenMissed(node: number, withinMs = 60_000): Promise<void> {
    const { name } = this.#node(node);
    const connection = await connect({ servers: this.urls, timeout: 1_000 });
    try {
      const jsm = await connection.jetstreamManager({ timeout: 2_000, checkAPI: false });
      const isMissed = async () => {
        for await (const { cluster } of jsm.streams.list()) {
          const peer = cluster?.replicas?.find((replica) => replica.name === name);
          if (!cluster?.leader || (peer && !peer.offline && peer.active < 6e9)) return false;
        }
        return true;
      };
      for (const deadline = Date.now() + withinMs; !(await isMissed().catch(() => false)); await delay(100)) {
        if (Date.now() > deadline) throw new Error(`the cluster still counted on ${name} after ${withinMs} ms`);
      }
    } finally {
      await connection.close();
    }
  }

  /** Resolves once every stream has a leader. After a restart, server 2.9.10 elects some of them only after 30 s. */
  async whenLed(withinMs = 60_000): Promise<void> {
    const connection = await connect({ servers: this.urls, timeout: 1_000 });
    try {
      const jsm = await connection.jetstreamManager({ timeout: 2_000, checkAPI: false });
      const isLed = async () => {
        for await (const { cluster } of jsm.streams.list()) if (!cluster?.leader) return false;
        return true;
      };
      for (const deadline = Date.now() + withinMs; !(await isLed().catch(() => false)); await delay(100)) {
        if (Date.now() > deadline) throw new Error(`not every stream had a leader after ${withinMs} ms`);
      }
    } finally {
      await connection.close();
    }
  }

  /** Ends all nodes and removes their directory. */
  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((_, node) => this.kill(node)));
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #end(node: number, signal: NodeJS.Signals): Promise<void> {
    const { process: child } = this.#node(node);
    this.#node(node).process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  async #writeOnce(): Promise<void> {
    const connection = await connect({ servers: this.urls, timeout: 1_000, reconnect: false });
    try {
      const jsm = await connection.jetstreamManager({ timeout: 2_000 });
      await jsm.streams.add({ name: "cluster_probe", subjects: ["cluster_probe"], num_replicas: 3 });
      await connection.jetstream({ timeout: 2_000 }).publish("cluster_probe");
      await jsm.streams.delete("cluster_probe");
    } finally {
      await connection.close();
    }
  }

  #node(node: number): Node {
    const found = this.#nodes[node];
    if (found === undefined) throw new Error(`the cluster has no node ${node}`);
    return found;
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "nats";
import { z } from "zod";
import { freePort } from "../setup/free-port.ts";
import { NATS_SERVER } from "./nats-server.ts";

/** The leader fields of https://docs.nats.io/running-a-nats-service/nats_admin/monitoring */
const Group = z.object({ leader: z.string().optional() });
const State = z.object({ messages: z.number(), first_seq: z.number(), last_seq: z.number() });
const Account = z.object({
  stream_detail: z.array(z.object({ name: z.string(), cluster: Group.optional(), state: State })).optional(),
});
const ClusterView = z.object({ meta_cluster: Group.optional(), account_details: z.array(Account).optional() });
const Health = z.object({ status: z.string() });
type ClusterView = z.infer<typeof ClusterView>;
const MONITOR_TIMEOUT_MS = 1_000;

const streamsIn = (view: ClusterView | undefined) =>
  view?.account_details?.flatMap(({ stream_detail: details }) => details ?? []) ?? [];

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

  /** The addresses of all nodes, in order. */
  get urls(): string[] {
    return this.#nodes.map(({ port }) => `nats://127.0.0.1:${port}`);
  }

  /** Restarts a node on the same ports and directory, without waiting for the cluster (see `whenUsable`). */
  async restart(node: number): Promise<void> {
    await this.kill(node);
    const { name, port, routePort, monitorPort } = this.#node(node);
    const routes = this.#nodes.map((other) => `nats://127.0.0.1:${other.routePort}`).join(",");
    const args = ["-a", "127.0.0.1", "-p", String(port), "-n", name, "-js", "-sd", join(this.#folder, name)];
    args.push("-m", String(monitorPort));
    args.push("--cluster_name", "local", "--cluster", `nats://127.0.0.1:${routePort}`, "--routes", routes);
    this.#node(node).process = spawn(NATS_SERVER, args, { stdio: "ignore", cwd: this.#folder });
  }

  /** SIGKILL, which also ends a frozen process. The stored data stays for restart(). */
  kill(node: number): Promise<void> {
    return this.#end(node, "SIGKILL");
  }

  /** SIGTERM, like an operator. The stored data stays for restart(). */
  shutDown(node: number): Promise<void> {
    return this.#end(node, "SIGTERM");
  }

  /** SIGSTOP: the process stops responding but keeps its connections. */
  freeze(node: number): void {
    this.#node(node).process?.kill("SIGSTOP");
  }

  resume(node: number): void {
    this.#node(node).process?.kill("SIGCONT");
  }

  /** The leader of this stream, or of the whole cluster ("meta"); undefined during an election. */
  async leaderOf(what: "meta" | { readonly stream: string }): Promise<number | undefined> {
    for (const { monitorPort } of this.#nodes) {
      const seen = await readJson(monitorPort, "/jsz?streams=true", ClusterView).catch(() => undefined);
      const streams = streamsIn(seen);
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

  /**
   * Whether all nodes hold the same messages of a stream that is no longer written to. Server 2.9.10 reports a node as
   * current that lacks messages which the stream's leader has confirmed; consumers that this node leads skip them.
   */
  async replicasAgree(stream: string): Promise<boolean> {
    await Promise.all(this.#nodes.map((_, node) => this.whenCaughtUp(node)));
    const views = this.#nodes.map(({ monitorPort }) => readJson(monitorPort, "/jsz?streams=true", ClusterView));
    const states = (await Promise.all(views)).map((view) => streamsIn(view).find(({ name }) => name === stream)?.state);
    return new Set(states.map((state) => JSON.stringify(state))).size === 1;
  }

  /** Resolves once a stream with three replicas can be created and written through any node. */
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

  /** Resolves once every stream has a leader, and that leader reports the node as offline or inactive. */
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
        if (Date.now() > deadline) throw new Error(`the cluster still reported ${name} as active after ${withinMs} ms`);
      }
    } finally {
      await connection.close();
    }
  }

  /** Kills all nodes and deletes their directory. */
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

import { setTimeout as delay } from "node:timers/promises";
import type { NatsCluster } from "../fakes/nats-cluster.ts";
import type { ClusterFault, Leadership, NodeFault } from "./plan/fault.ts";

const STREAMS = {
  user_message: "mooring_user_message",
  bus_members: "KV_mooring_bus_members",
  bus_beats: "KV_mooring_bus_beats",
} as const;
const LOOK_EVERY_MS = 50;
const ELECTION_MS = 60_000;

/** Injects faults into a cluster, one at a time, and ends each after its duration. */
export class ClusterFaults {
  readonly #cluster: NatsCluster;
  #lifted: Promise<void> = Promise.resolve();

  constructor(cluster: NatsCluster) {
    this.#cluster = cluster;
  }

  /** Resolves once no fault is active and the cluster stores again. */
  get lifted(): Promise<void> {
    return this.#lifted;
  }

  /** Resolves when the fault, or its first part, has happened; waits for the end of the previous one. */
  async inject(fault: NodeFault | ClusterFault): Promise<void> {
    await this.#lifted;
    const lift = fault.on === "node" ? await this.#begin(fault) : await this.#beginAll(fault);
    this.#lifted = lift().then(() => this.#cluster.whenUsable());
    // The caller that awaits `lifted` gets the error.
    this.#lifted.catch(() => undefined);
  }

  async #begin({ what, leaderOf, awayMs }: NodeFault): Promise<() => Promise<void>> {
    return this.#remove([await this.#leader(leaderOf)], what, awayMs);
  }

  async #beginAll({ what, awayMs }: ClusterFault): Promise<() => Promise<void>> {
    if (what === "restart in turn") return () => this.#restartInTurn(awayMs);
    if (what === "kill all") return this.#remove(this.#nodes, "kill", awayMs);
    // One of the two leads the stream of people's messages, so that an election is needed as well.
    const leader = await this.#leader("user_message");
    const two = [leader, (leader + 1) % this.#cluster.size];
    return this.#remove(two, what === "kill two" ? "kill" : "freeze", awayMs);
  }

  async #remove(nodes: readonly number[], how: "kill" | "freeze", awayMs: number): Promise<() => Promise<void>> {
    const cluster = this.#cluster;
    if (how === "freeze") for (const node of nodes) cluster.freeze(node);
    else await Promise.all(nodes.map((node) => cluster.kill(node)));
    return async () => {
      await delay(awayMs);
      if (how === "freeze") for (const node of nodes) cluster.resume(node);
      else await Promise.all(nodes.map((node) => cluster.restart(node)));
      for (const node of nodes) await cluster.whenCaughtUp(node);
    };
  }

  async #restartInTurn(awayMs: number): Promise<void> {
    for (const node of this.#nodes) {
      await this.#cluster.shutDown(node);
      await delay(awayMs);
      await this.#cluster.restart(node);
      await this.#cluster.whenCaughtUp(node);
    }
  }

  get #nodes(): number[] {
    return Array.from({ length: this.#cluster.size }, (_, node) => node);
  }

  async #leader(of: Leadership): Promise<number> {
    for (const deadline = Date.now() + ELECTION_MS; Date.now() < deadline; await delay(LOOK_EVERY_MS)) {
      const leader = await this.#cluster.leaderOf(of === "meta" ? of : { stream: STREAMS[of] });
      if (leader !== undefined) return leader;
    }
    throw new Error(`${of} had no leader for ${ELECTION_MS} ms`);
  }
}

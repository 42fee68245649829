import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Deployment } from "../e2e/deployment.ts";
import type { MooringProcess } from "../e2e/mooring-process.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import type { NatsFault, ProcessFault, Role } from "./plan/fault.ts";
import type { Backbone } from "./plan/plan.ts";

interface Part {
  readonly role: Role;
  readonly nth: number;
  process?: MooringProcess;
  /** Of the one that was up last. */
  address: string;
  /** Resolves when the one that runs there now is up. */
  up: Promise<void>;
}

const NOWHERE = "http://127.0.0.1:9";
const FROZEN_MS = 3_000;
const MOST_CRASHES = 5;

/** The built product as real processes, each of which can be killed, stopped or frozen, and comes back by itself. */
export class Product {
  /** Ends that nobody asked for. */
  readonly crashes: string[] = [];
  readonly #deployment: Deployment;
  readonly #nats: NatsServer | undefined;
  readonly #parts: Part[] = [];
  readonly #ended = new Set<MooringProcess>();
  readonly #said: { name: string; process: MooringProcess }[] = [];
  #under: Promise<void> = Promise.resolve();
  #turns = 0;
  #isOver = false;

  private constructor(deployment: Deployment, nats: NatsServer | undefined) {
    this.#deployment = deployment;
    this.#nats = nats;
  }

  /** embedded: one process. nats: a real server with two gateways and two cores. */
  static async start(backbone: Backbone, config: object): Promise<Product> {
    const nats = backbone === "nats" ? await NatsServer.start() : undefined;
    const deployment = await Deployment.create({
      gateway: { host: "127.0.0.1", port: 0, drainMs: 0 },
      backbone: nats ? { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } } : "embedded",
      dataDir: "./data",
      logLevel: "warn",
      ...config,
    });
    const product = new Product(deployment, nats);
    const roles: readonly (readonly [Role, number])[] = nats
      ? [
          ["gateway", 0],
          ["gateway", 1],
          ["core", 0],
          ["core", 1],
        ]
      : [["gateway", 0]];
    for (const [role, nth] of roles) {
      const part: Part = { role, nth, address: NOWHERE, up: Promise.resolve() };
      product.#parts.push(part);
      product.#run(part);
    }
    await product.allUp();
    return product;
  }

  /** Of a gateway; another one each time, as behind a balancer that does not look. */
  gateway(): string {
    const gateways = this.#parts.filter(({ role }) => role === "gateway");
    return gateways[this.#turns++ % gateways.length]?.address ?? NOWHERE;
  }

  async allUp(): Promise<void> {
    await this.#under;
    await Promise.all(this.#parts.map(({ up }) => up));
  }

  /** Resolves when it has happened; what is gone comes back meanwhile. */
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
    if (nats === undefined) throw new Error("there is no NATS on this backbone");
    await this.#under;
    await nats.kill();
    this.#under = delay(awayMs).then(() => nats.restart());
  }

  /** What each process holds, where the system tells. */
  memory(): string {
    const held = this.#parts.map(({ role, nth, process }) => `${role} ${nth} ${megabytesOf(process?.pid)} MB`);
    return held.join(", ");
  }

  /** What all processes have said, for whoever looks for the reason of a failure. */
  logs(): string {
    return this.#said.map(({ name, process }) => `--- ${name}, pid ${process.pid}\n${process.stderr()}`).join("\n");
  }

  async dispose(): Promise<void> {
    this.#isOver = true;
    await this.#under.catch(() => undefined);
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
      // The rest of the run still says something, unless it never gets up.
      if (this.crashes.length < MOST_CRASHES) this.#run(part);
    });
  }
}

const megabytesOf = (pid: number | undefined): string => {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return String(Math.round(Number(kilobytes) / 1_024));
  } catch {
    return "?";
  }
};

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type MooringProcess, startMooring } from "../e2e/mooring-process.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { WebClient } from "../fakes/web-client.ts";
import { freePort } from "../setup/free-port.ts";
import { askAdmin } from "./admin-client.ts";
import { frozenConfig } from "./frozen-config.ts";
import { type Platforms, restoreWorld, startPlatforms, type World } from "./platforms.ts";

export type Backbone = "embedded" | "nats";

export interface StageOptions {
  /** The main file of another build. */
  readonly main?: string;
  readonly nodeArgs?: readonly string[];
  readonly world?: World;
}

const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 60_000;

type Parts = Pick<Stage, "backbone" | "platforms" | "folder" | "nats"> & { readonly port: number };

/** One process of the product on one backbone, with its environment; it can be killed and restarted. */
export class Stage {
  readonly backbone: Backbone;
  readonly platforms: Platforms;
  readonly folder: string;
  /** Undefined on the embedded backbone. */
  readonly nats: NatsServer | undefined;
  address = "http://127.0.0.1:9";
  readonly #port: number;
  readonly #options: StageOptions;
  readonly #processes: MooringProcess[] = [];
  readonly #clients: WebClient[] = [];

  private constructor(parts: Parts, options: StageOptions) {
    this.backbone = parts.backbone;
    this.platforms = parts.platforms;
    this.folder = parts.folder;
    this.nats = parts.nats;
    this.#port = parts.port;
    this.#options = options;
  }

  static async create(backbone: Backbone, options: StageOptions = {}): Promise<Stage> {
    const platforms = await startPlatforms();
    if (options.world !== undefined) restoreWorld(platforms, options.world);
    const nats = backbone === "nats" ? await NatsServer.start() : undefined;
    const folder = await mkdtemp(join(tmpdir(), "mooring-frozen-"));
    makeRepository(join(folder, "yard"));
    return new Stage({ backbone, platforms, folder, nats, port: await freePort() }, options);
  }

  get dataDir(): string {
    return join(this.folder, "data");
  }

  /** Writes the configuration, as every start does. */
  async configure(): Promise<void> {
    const repository = join(this.folder, "yard");
    const nats = { servers: [this.nats?.url], leaseMs: 1_000, partitions: 2 };
    const config = frozenConfig(this.platforms, this.nats ? { nats } : "embedded", { port: this.#port, repository });
    await writeFile(join(this.folder, "mooring.yaml"), JSON.stringify(config, null, 2));
  }

  async start(): Promise<MooringProcess> {
    await this.configure();
    const { world: _, ...how } = this.#options;
    const process = startMooring(["start", "--config", "mooring.yaml"], { cwd: this.folder, ...how });
    this.#processes.push(process);
    this.address = await process.running;
    this.platforms.slack.sendEventsTo(`${this.address}/channels/slack/events`);
    this.platforms.teams.endpoint = `${this.address}/channels/teams/messages`;
    return process;
  }

  /** The log of the process that was started last. */
  get log(): string {
    return this.#processes.at(-1)?.stderr() ?? "";
  }

  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const process = this.#processes.at(-1);
    process?.kill(signal);
    await process?.exited;
  }

  visitor(name: string, token?: string, channel = "web"): WebClient {
    const client = new WebClient(name, () => this.address, channel, token);
    this.#clients.push(client);
    return client;
  }

  admin(path: string, method: "GET" | "POST" | "PATCH" = "GET", body?: object) {
    return askAdmin(this.address, path, method, body);
  }

  /** Polls for changes without a notification. */
  async until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await delay(LOOK_EVERY_MS)) {
      if (await condition()) return;
    }
    throw new Error(`waited in vain for ${what}\n${this.log.slice(-6_000)}`);
  }

  async dispose(): Promise<void> {
    for (const client of this.#clients) client.close();
    for (const process of this.#processes) process.kill("SIGKILL");
    await Promise.all(this.#processes.map(({ exited }) => exited));
    await this.platforms.stop();
    await this.nats?.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The same commit each time: stored subtasks name the commit that they began with. */
const makeRepository = (folder: string): void => {
  const date = "2026-01-02T03:04:05Z";
  const who = { NAME: "Mooring", EMAIL: "mooring@example.com", DATE: date };
  const by = (role: string) => Object.entries(who).map(([name, value]) => [`GIT_${role}_${name}`, value]);
  const env = { PATH: process.env.PATH, ...Object.fromEntries([...by("AUTHOR"), ...by("COMMITTER")]) };
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { env });
  mkdirSync(folder);
  git("init", "--quiet", "--initial-branch=main");
  git("commit", "--quiet", "--allow-empty", "--message=The yard");
};

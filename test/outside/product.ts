import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type MooringProcess, startMooring } from "../e2e/mooring-process.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { WebClient } from "../fakes/web-client.ts";
import { freePort } from "../setup/free-port.ts";

export type Backbone = "embedded" | "nats";
export type Command = "start" | "gateway" | "core";

/** Every process an operator can deploy. The embedded backbone allows one process only. */
export const deployableRoles: readonly (readonly [Backbone, Command])[] = [
  ["embedded", "start"],
  ["nats", "start"],
  ["nats", "gateway"],
  ["nats", "core"],
];

export interface StartedProcess extends MooringProcess {
  /** Known before the process listens there, so that a client can connect from the first moment. */
  readonly port: number;
  readonly address: string;
  /** Resolves once `/health/ready` answers 200; rejects if the process ends before that. */
  ready(withinMs?: number): Promise<void>;
  /** Sends the signal and resolves once the process has ended. */
  end(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }>;
}

export interface ProductOptions {
  readonly backbone: Backbone;
  /** Top-level keys of the configuration; they replace the defaults of the harness. */
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** `gateway.drainMs`; 0 by default, because there is no load balancer. */
  readonly drainMs?: number;
}

/**
 * The built product as processes on one backbone, seen as an operator and a client see it: by its configuration file,
 * its ports, its exit code and its output. Files in this folder import nothing from `core/`, `gateway/`, `adapters/`
 * or `config/` (`test/architecture.test.ts`).
 */
export class Product {
  readonly folder: string;
  /** Undefined on the embedded backbone. */
  readonly nats: NatsServer | undefined;
  readonly #options: ProductOptions;
  readonly #processes: StartedProcess[] = [];
  readonly #clients: WebClient[] = [];
  #started = 0;

  private constructor(folder: string, nats: NatsServer | undefined, options: ProductOptions) {
    this.folder = folder;
    this.nats = nats;
    this.#options = options;
  }

  static async create(options: ProductOptions): Promise<Product> {
    const nats = options.backbone === "nats" ? await NatsServer.start() : undefined;
    return new Product(await mkdtemp(join(tmpdir(), "mooring-outside-")), nats, options);
  }

  /** Starts one process and returns at once; `changes` apply to this process only. `main`: another build than dist/. */
  async start(
    command: Command,
    changes: object | ((port: number) => object) = {},
    main?: string,
  ): Promise<StartedProcess> {
    const file = `${command}-${++this.#started}.yaml`;
    const port = await freePort();
    const own = typeof changes === "function" ? changes(port) : changes;
    const config = { ...this.#configOn(port), ...this.#options.config, ...own };
    await writeFile(join(this.folder, file), JSON.stringify(config, null, 2));
    const env = this.#options.env ?? {};
    const child = startMooring([command, "--config", file], { cwd: this.folder, env, ...(main && { main }) });
    const started = withHealth(child, port);
    this.#processes.push(started);
    return started;
  }

  /** A visitor of the web channel. The address is read at every connection attempt. */
  client(name: string, address: string | (() => string), token?: string, channel = "web"): WebClient {
    const client = new WebClient(name, typeof address === "string" ? () => address : address, channel, token);
    this.#clients.push(client);
    return client;
  }

  async dispose(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all(this.#processes.map((process) => process.end("SIGKILL")));
    await this.nats?.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #configOn(port: number): object {
    return {
      gateway: { host: "127.0.0.1", port, drainMs: this.#options.drainMs ?? 0 },
      core: { host: "127.0.0.1", port },
      backbone: this.nats ? { nats: { servers: [this.nats.url], leaseMs: 1_000, partitions: 4 } } : "embedded",
      dataDir: "./data",
      agents: [{ name: "mooring", model: "demo" }],
      channels: { web: { adapter: "web" } },
    };
  }
}

const withHealth = (child: MooringProcess, port: number): StartedProcess => {
  const address = `http://127.0.0.1:${port}`;
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  return {
    ...child,
    port,
    address,
    ready: async (withinMs = 60_000) => {
      for (const deadline = Date.now() + withinMs; Date.now() < deadline; await delay(20)) {
        if (ended) throw new Error(`the process ended before it was ready:\n${child.stdout()}${child.stderr()}`);
        const status = await fetch(`${address}/health/ready`)
          .then((response) => response.status)
          .catch(() => 0);
        if (status === 200) return;
      }
      throw new Error(`not ready within ${withinMs} ms:\n${child.stderr()}`);
    },
    end: (signal = "SIGTERM") => {
      if (!ended) child.kill(signal);
      return child.exited;
    },
  };
};

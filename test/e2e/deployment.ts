import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WebClient } from "../fakes/web-client.ts";
import { type MooringProcess, type StartOptions, startMooring } from "./mooring-process.ts";

/** A folder with a configuration, and the processes that run on it. */
export class Deployment {
  readonly folder: string;
  readonly #processes: MooringProcess[] = [];
  readonly #clients: WebClient[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Writes the configuration as JSON, which is valid YAML. */
  static async create(config: object): Promise<Deployment> {
    const folder = await mkdtemp(join(tmpdir(), "mooring-e2e-"));
    await writeFile(join(folder, "mooring.yaml"), JSON.stringify(config, null, 2));
    return new Deployment(folder);
  }

  /** With port 0, every process gets its own port. */
  run(command: string, ...options: [args?: readonly string[], start?: Partial<StartOptions>]): MooringProcess {
    const [args = [], start = {}] = options;
    const process = startMooring([command, "--config", "mooring.yaml", ...args], { cwd: this.folder, ...start });
    this.#processes.push(process);
    return process;
  }

  with(client: WebClient): WebClient {
    this.#clients.push(client);
    return client;
  }

  async dispose(): Promise<void> {
    for (const client of this.#clients) client.close();
    for (const process of this.#processes) process.kill("SIGKILL");
    await Promise.all(this.#processes.map(({ exited }) => exited));
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The shipped configuration with a free port and without drain time. */
export const plainConfig = (changes: object = {}): object => ({
  gateway: { host: "127.0.0.1", port: 0, drainMs: 0 },
  backbone: "embedded",
  dataDir: "./data",
  agents: [{ name: "mooring", model: "demo" }],
  channels: { web: { adapter: "web" } },
  ...changes,
});

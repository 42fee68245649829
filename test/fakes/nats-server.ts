import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../setup/free-port.ts";

export interface NatsServerOptions {
  /** False: a server without JetStream. */
  readonly jetStream?: boolean;
  readonly auth?: { readonly user: string; readonly password: string } | { readonly token: string };
  /** Configures everything except the port; the data is below the server's working directory. */
  readonly configFile?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Reserves the port and the directory; restart() starts the server. */
  readonly startLater?: boolean;
}

/** The program of all servers in tests; the variable names another version. */
export const NATS_SERVER = process.env.NATS_SERVER ?? "nats-server";

/** A real nats-server on a free local port, with a temporary directory. */
export class NatsServer {
  readonly port: number;
  readonly #storeDir: string;
  readonly #options: NatsServerOptions;
  #process: ChildProcess | undefined;

  private constructor(port: number, storeDir: string, options: NatsServerOptions) {
    this.port = port;
    this.#storeDir = storeDir;
    this.#options = options;
  }

  static async start(options: NatsServerOptions = {}): Promise<NatsServer> {
    const storeDir = await mkdtemp(join(tmpdir(), "nats-server-"));
    const server = new NatsServer(await freePort(), storeDir, options);
    if (!options.startLater) await server.restart();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Restarts on the same port and directory; resolves once the server accepts connections. */
  async restart(): Promise<void> {
    await this.#end("SIGKILL");
    const { auth, jetStream = true, configFile, env = {} } = this.#options;
    const args = ["-a", "127.0.0.1", "-p", String(this.port)];
    if (configFile !== undefined) args.push("-c", configFile);
    else args.push("-sd", this.#storeDir, ...(jetStream ? ["-js"] : []));
    if (auth) args.push(...("token" in auth ? ["--auth", auth.token] : ["--user", auth.user, "--pass", auth.password]));
    const child = spawn(NATS_SERVER, args, { stdio: "ignore", cwd: this.#storeDir, env: { ...process.env, ...env } });
    this.#process = child;
    const failed = new Promise<never>((_, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`nats-server ended with ${code} before it was ready`)));
    });
    failed.catch(() => undefined);
    await Promise.race([accepting(this.port), failed]);
  }

  /** SIGSTOP: the process stops responding but keeps its connections. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  resume(): void {
    this.#process?.kill("SIGCONT");
  }

  /** SIGKILL. The stored data stays for restart(). */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Kills the server and deletes its directory. */
  async stop(): Promise<void> {
    await this.#end("SIGKILL");
    await rm(this.#storeDir, { recursive: true, force: true, maxRetries: 3 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }
}

const accepting = async (port: number): Promise<void> => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await delay(10)) {
    const ok = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(socket.destroy() !== undefined));
      socket.once("error", () => resolve(false));
    });
    if (ok) return;
  }
  throw new Error(`nats-server does not accept connections on port ${port}`);
};

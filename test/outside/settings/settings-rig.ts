import { createHmac, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type MooringProcess, requireFreshBuild, startMooring } from "../../e2e/mooring-process.ts";
import { WebClient } from "../../fakes/web-client.ts";
import { ModelBoard } from "./model-board.ts";

export interface StartOptions {
  readonly command?: "start" | "gateway" | "core" | "check";
  readonly args?: readonly string[];
  /** The data folder of an earlier process; a new folder by default. */
  readonly folder?: string;
  /** How far the clock of the process is ahead of this machine's. */
  readonly aheadMs?: number;
}

export interface RunningProduct {
  readonly process: MooringProcess;
  readonly folder: string;
  readonly address: string;
  client(name: string, channel?: string, token?: string): WebClient;
  /** Reads from the admin API as an operator. */
  admin<T>(path: string, init?: RequestInit): Promise<T>;
  /** Sends SIGTERM and waits for the exit. */
  end(): Promise<void>;
}

/** A secret that passes the product's check for guessable ones. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

export const ADMIN_TOKEN = newSecret();
export const IDENTITY_KEY = "identity-key-of-the-tests-0123456789";

/** Runs the built product for the tests of one file, and cleans up after them. */
export class SettingsRig {
  readonly #cleanUp: (() => Promise<unknown>)[] = [];

  constructor() {
    beforeAll(requireFreshBuild);
    afterAll(async () => {
      for (const step of this.#cleanUp.splice(0).reverse()) await step();
    });
  }

  /** Registers something to be stopped after the tests of the file; the last one registered is stopped first. */
  owns<T extends { stop(): Promise<unknown> }>(started: T): T {
    this.#cleanUp.push(() => started.stop());
    return started;
  }

  async models(): Promise<ModelBoard> {
    return this.owns(await ModelBoard.start());
  }

  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "mooring-settings-"));
    this.#cleanUp.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    return folder;
  }

  /** Starts a process with the shipped configuration and these changes. It may not be ready yet. */
  async run(config: object, options: StartOptions = {}): Promise<{ process: MooringProcess; folder: string }> {
    const { command = "start", args = [], folder = await this.folder(), aheadMs = 0 } = options;
    await writeFile(join(folder, "mooring.yaml"), JSON.stringify({ ...shipped, ...config }, null, 2));
    const process = startMooring([command, "--config", "mooring.yaml", ...args], {
      cwd: folder,
      nodeArgs: aheadMs === 0 ? [] : ["--import", clockAhead(aheadMs)],
    });
    this.#cleanUp.push(() => {
      process.kill("SIGKILL");
      return process.exited;
    });
    return { process, folder };
  }

  /** Resolves once the process is ready. */
  async start(config: object, options: StartOptions = {}): Promise<RunningProduct> {
    const { process, folder } = await this.run(config, options);
    const shown = await process.running;
    const { host, port } = { ...shipped, ...(config as Partial<typeof shipped>) }.gateway;
    const address = port === 0 ? shown : `http://${host}:${port}`;
    return {
      process,
      folder,
      address,
      client: (name, channel, token) => {
        const client = new WebClient(name, () => address, channel, token);
        this.#cleanUp.push(async () => client.close());
        return client;
      },
      admin: async <T>(path: string, init: RequestInit = {}) => {
        const headers = {
          authorization: `Bearer ${ADMIN_TOKEN}`,
          ...(init.body && { "content-type": "application/json" }),
        };
        const response = await fetch(`${address}/admin/api/${path}`, { ...init, headers });
        return (await response.json()) as T;
      },
      end: async () => {
        process.kill("SIGTERM");
        await process.exited;
      },
    };
  }
}

const shipped = {
  gateway: { host: "127.0.0.1", port: 0, drainMs: 0 },
  backbone: "embedded",
  dataDir: "./data",
  logLevel: "warn",
  admin: { tokens: [{ token: ADMIN_TOKEN, role: "platform_admin" }] },
  agents: [{ name: "mooring", model: "demo" }],
  channels: { web: { adapter: "web" } },
};

/** The identity token of a page's visitor, for a channel with IDENTITY_KEY. */
export const visitorToken = (account: string, key = IDENTITY_KEY): string => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const exp = Math.floor(Date.now() / 1_000) + 30 * 24 * 3_600;
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: account, exp })}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
};

/** A module that sets the wall clock of the process that imports it forward; timers are not affected. */
const clockAhead = (ms: number): string =>
  `data:text/javascript,${encodeURIComponent(`
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given) {
        if (given.length === 0) super(Real.now() + ${ms});
        else super(...given);
      }
      static now() {
        return Real.now() + ${ms};
      }
    };`)}`;

import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import type { Tool, ToolContext, ToolOutput } from "../../../core/contract/tool.ts";
import { Rights } from "../../../core/rights/index.ts";
import { McpServersConfig } from "../../../core/tools/mcp/config.ts";
import { McpServers } from "../../../core/tools/mcp/mcp-servers.ts";
import { MemoryStore } from "../memory-store.ts";
import { RecordingLogger } from "../recording-logger.ts";
import { RecordingMeter } from "../recording-meter.ts";

export { fakeServer } from "./fake-server.ts";

/** The permit of a member with these grants. */
export const permitWith = (...grants: readonly string[]) =>
  new Rights({ member: grants as never }).permit({ causes: [{ speaker: "member" }] });
export const ALL = permitWith("tool:*");

/** The servers of one agent, as a process has them. */
export class McpRig {
  readonly logger = new RecordingLogger();
  readonly meter = new RecordingMeter();
  readonly store: Store;
  readonly dataDir: string;
  #running: McpServers[] = [];

  private constructor(dataDir: string, store: Store) {
    this.dataDir = dataDir;
    this.store = store;
  }

  static async create(store: Store = new MemoryStore()): Promise<McpRig> {
    return new McpRig(await mkdtemp(join(tmpdir(), "mooring-mcp-")), store);
  }

  /** The file that a fake server writes to, and its path. */
  log(name = "log"): { readonly path: string; lines(): Record<string, unknown>[] } {
    const path = join(this.dataDir, name);
    return {
      path,
      lines: () => {
        try {
          return readFileSync(path, "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line));
        } catch {
          return [];
        }
      },
    };
  }

  start(servers: object, environment: NodeJS.ProcessEnv = process.env) {
    const { store, logger, meter, dataDir } = this;
    const mcp = new McpServers({ store, logger, meter, dataDir, environment, clock: systemClock, version: "0" });
    this.#running.push(mcp);
    const source = mcp.sourceOf({ tenant: "default", agent: "mooring" }, McpServersConfig.parse(servers));
    if (source === undefined) throw new Error("no server is configured");
    return { mcp, source };
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#running.map((mcp) => mcp.stop()));
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

/** Runs a tool as a turn does. */
export const run = async (
  tools: readonly Tool[],
  name: string,
  input: object = {},
  context: Partial<ToolContext> = {},
): Promise<ToolOutput> => {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool is named ${name}: ${tools.map((one) => one.name).join(", ")}`);
  const full = { idempotencyKey: "t-1/0/0", signal: new AbortController().signal, ...context } as ToolContext;
  const output = await tool.run(tool.input.parse(input), full);
  return typeof output === "string" ? { text: output } : output;
};

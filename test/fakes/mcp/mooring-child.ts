// A process with one MCP server, for tests that kill it: argv has the data folder and the server's plan.
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import { McpServersConfig } from "../../../core/tools/mcp/config.ts";
import { McpServers } from "../../../core/tools/mcp/mcp-servers.ts";
import { MemoryStore } from "../memory-store.ts";
import { ALL, fakeServer } from "./mcp-rig.ts";

const [dataDir = "", plan = "{}"] = process.argv.slice(2);
const mcp = new McpServers({
  store: new MemoryStore(),
  clock: systemClock,
  logger: silentLogger,
  meter: silentMeter,
  dataDir,
  environment: process.env,
  version: "0",
});
const servers = McpServersConfig.parse({ tide: fakeServer(JSON.parse(plan)) });
await mcp.sourceOf({ tenant: "default", agent: "mooring" }, servers)?.offer(ALL);
process.stdout.write("ready\n");
process.once("SIGTERM", () => void mcp.stop().then(() => process.exit(0)));
setInterval(() => {}, 1_000);

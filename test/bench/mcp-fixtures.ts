import { resolve } from "node:path";
import { McpServersConfig } from "../../core/tools/mcp/config.ts";

const TOOLS_OF_SERVER = 20;

const toolNamed = (name: string) => ({
  name,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  annotations: { readOnlyHint: true },
});

/** The bench is bundled, so the program is found by the working directory. */
const serverWith = (names: readonly string[]) => ({
  command: process.execPath,
  args: [resolve("test/fakes/mcp/server.mjs"), JSON.stringify({ tools: names.map(toolNamed) })],
});

export const STDIO_SERVER = serverWith(["echo"]);

/** Programs with 20 tools each. */
export const manyServers = (count: number): McpServersConfig => {
  const names = Array.from({ length: TOOLS_OF_SERVER }, (_, index) => `tool_${index}`);
  return McpServersConfig.parse(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`server-${index}`, serverWith(names)])),
  );
};

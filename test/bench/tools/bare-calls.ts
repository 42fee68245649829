import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { STDIO_SERVER } from "../mcp-fixtures.ts";
import type { Kind } from "./kinds.ts";

type Call = () => Promise<unknown>;

export interface BareCalls extends Readonly<Record<Kind, Call>> {
  close(): Promise<void>;
}

/** The call of each kind, with the bare SDK of MCP, `fetch` or the function alone. */
export const openBareCalls = async (service: string): Promise<BareCalls> => {
  const input = { text: "hello" };
  const [local, remote] = [0, 1].map(() => new Client({ name: "bench", version: "0" })) as [Client, Client];
  await local.connect(new StdioClientTransport(STDIO_SERVER));
  await remote.connect(new StreamableHTTPClientTransport(new URL(`${service}/mcp`)) as never);
  const fetched = async () => (await fetch(`${service}/echo?text=hello`)).text();
  return {
    "MCP stdio": () => local.callTool({ name: "echo", arguments: input }),
    "MCP HTTP": () => remote.callTool({ name: "echo", arguments: input }),
    "HTTP tool": fetched,
    module: async () => `echo: ${input.text}`,
    fetch_url: fetched,
    async close() {
      await local.close();
      await remote.close();
    },
  };
};

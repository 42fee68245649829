import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { answerQuestions } from "./answer-questions.ts";

/** The services that the tools of the bench call: an MCP server of the bare SDK at /mcp, and a plain service at /echo. */
const transports = new Map<string, StreamableHTTPServerTransport>();

const openSession = async (): Promise<StreamableHTTPServerTransport> => {
  const server = new McpServer({ name: "bench", version: "0" });
  server.registerTool(
    "echo",
    { inputSchema: { text: z.string() }, annotations: { readOnlyHint: true } },
    async ({ text }) => ({ content: [{ type: "text", text: `echo: ${text}` }] }),
  );
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => void transports.set(session, transport),
  });
  await server.connect(transport as never);
  return transport;
};

const server = createServer((request, response) => {
  if (request.url?.startsWith("/echo")) {
    const text = new URL(request.url, "http://localhost").searchParams.get("text");
    response.writeHead(200, { "content-type": "text/plain" }).end(`echo: ${text}`);
    return;
  }
  void (async () => {
    const transport = transports.get(String(request.headers["mcp-session-id"])) ?? (await openSession());
    await transport.handleRequest(request, response);
  })();
});
await once(server.listen(0, "127.0.0.1"), "listening");

answerQuestions((server.address() as AddressInfo).port, {}, async () => {
  server.closeAllConnections();
  server.close();
});

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { openAi } from "../../fakes/model-protocol.ts";
import { answerQuestions } from "./answer-questions.ts";

/**
 * The services that the tools of the bench call: an MCP server of the bare SDK at /mcp, and a plain service at /echo. At
 * /v1 it is a model that calls the tool of its own name, then answers, as a stream.
 */
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

const USAGE = { input: 10, output: 5 };

/** A summary of a session has no tools. */
const answerAsModel = (body: string, host: string): string => {
  const { model, messages, tools } = JSON.parse(body) as { model: string; messages: { role: string }[]; tools?: [] };
  const speech = (toolCalls: []) =>
    ({ kind: "speech", pieces: [], toolCalls, ending: "complete", usage: USAGE }) as never;
  if (model === "none" || tools === undefined || messages.at(-1)?.role === "tool") {
    return openAi.opening() + openAi.text("Noted.") + openAi.closing(speech([]));
  }
  const input = model === "fetch_url" ? { url: `http://${host}/echo?text=hello` } : { text: "hello" };
  const call = { id: `call-${messages.length}`, name: model, arguments: input };
  return openAi.opening() + openAi.toolCall(call, 0) + openAi.closing(speech([call] as never));
};

const server = createServer((request, response) => {
  if (request.url === openAi.path) {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(answerAsModel(body, request.headers.host ?? ""));
    });
    return;
  }
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

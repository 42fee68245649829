import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** An HTTP server of a test on a free port. */
export class TestHttpServer {
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingMessage["headers"];
  }[] = [];
  readonly #server: Server;

  private constructor(handler: Handler) {
    this.#server = createServer((request, response) => {
      this.requests.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers });
      void handler(request, response);
    });
  }

  static async start(handler: Handler): Promise<TestHttpServer> {
    const server = new TestHttpServer(handler);
    await once(server.#server.listen(0, "127.0.0.1"), "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** A server written with the bare SDK. */
const sdkServer = (): McpServer => {
  const server = new McpServer({ name: "sdk", version: "1" });
  server.registerTool(
    "add",
    { description: "Adds", inputSchema: { a: z.number(), b: z.number() }, annotations: { readOnlyHint: true } },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
  );
  server.registerTool("huge", {}, async () => ({ content: [{ type: "text", text: "x".repeat(20_000_000) }] }));
  return server;
};

/** Streamable HTTP without sessions: each request has its own transport. */
export const streamable =
  (json: boolean): Handler =>
  async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: json } as never);
    await sdkServer().connect(transport as never);
    await transport.handleRequest(request, response);
  };

/** Streamable HTTP with sessions, which the server can lose as in a restart. */
export const withSessions = (): { readonly handler: Handler; forget(): void } => {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  return {
    forget: () => transports.clear(),
    handler: async (request, response) => {
      const id = request.headers["mcp-session-id"];
      const known = transports.get(String(id));
      if (id !== undefined && known === undefined) return void response.writeHead(404).end();
      const transport =
        known ??
        new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (session) => void transports.set(session, transport),
        });
      if (known === undefined) await sdkServer().connect(transport as never);
      await transport.handleRequest(request, response);
    },
  };
};

/** The transport of the first protocol version. */
export const sse = (): Handler => {
  const transports = new Map<string, SSEServerTransport>();
  return async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "GET" && url.pathname === "/sse") {
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      await sdkServer().connect(transport);
      return;
    }
    const transport = transports.get(url.searchParams.get("sessionId") ?? "");
    if (transport !== undefined) await transport.handlePostMessage(request, response);
    else response.writeHead(404).end();
  };
};

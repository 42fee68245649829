import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { TestHttpServer } from "../fakes/mcp/http-server.ts";
import { says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import type { ModelBoard } from "./settings/model-board.ts";
import { SettingsRig } from "./settings/settings-rig.ts";

const SERVERS = 50;
const TOOLS = 20;

const rig = new SettingsRig();
let models: ModelBoard;
let remote: TestHttpServer;
beforeAll(async () => {
  models = await rig.models();
  const started = await TestHttpServer.start(async (request, response) => {
    const server = new McpServer({ name: "many", version: "1" });
    for (let tool = 0; tool < TOOLS; tool++) {
      server.registerTool(`t${tool}`, { inputSchema: { a: z.string() } }, async () => ({ content: [] }));
    }
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport as never);
    await transport.handleRequest(request, response);
  });
  remote = rig.owns(started);
});

/** The part of a request that a provider can cache: everything before the messages of people. */
const prefixOf = ({ body }: ModelRequest): string =>
  JSON.stringify([body.tools, body.messages.filter(({ role }) => role === "system")]);

describe("given an agent with 50 servers of 20 tools each (T2)", () => {
  const seen: ModelRequest[] = [];

  /** Starts the product, and resolves to the servers that it called before it was ready, and in each of two turns. */
  const calledServers = async (folder: string) => {
    const model = models.named("mooring", (request) => {
      seen.push(request);
      return says("Noted.");
    });
    const servers = Array.from({ length: SERVERS }, (_, n) => [`s${n}`, { url: `${remote.url}/s${n}` }]);
    const rights = { anonymous: ["default", "tool:*"] };
    const agents = [{ name: "mooring", model, rights, mcpServers: Object.fromEntries(servers) }];
    remote.requests.length = 0;
    const called = () => new Set(remote.requests.splice(0).map(({ path }) => path)).size;
    const mooring = await rig.start({ agents }, { folder });
    const beforeReady = called();
    const visitor = mooring.client("visitor");
    await visitor.answerTo(visitor.say("One"));
    const inFirstTurn = called();
    await visitor.answerTo(visitor.say("Two"));
    const inSecondTurn = called();
    await mooring.end();
    return { beforeReady, inFirstTurn, inSecondTurn };
  };

  it("when it starts, then it is ready before any server is called, and all turns of both runs have one prompt", async () => {
    const folder = await rig.folder();
    expect(await calledServers(folder)).toEqual({ beforeReady: 0, inFirstTurn: SERVERS, inSecondTurn: 0 });
    // The lists are stored, so a restart calls no server until a tool is used.
    expect(await calledServers(folder)).toEqual({ beforeReady: 0, inFirstTurn: 0, inSecondTurn: 0 });
    expect(seen).toHaveLength(4);
    expect(seen[0]?.toolNames.filter((name) => name.includes("__"))).toHaveLength(SERVERS * TOOLS);
    expect(new Set(seen.map(prefixOf)).size).toBe(1);
  });
});

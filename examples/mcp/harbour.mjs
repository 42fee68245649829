// A small MCP server: tides and ferries of three harbours, computed, without a network. Start it from mooring.yaml:
//
//   mcpServers: { harbour: { command: node, args: [examples/mcp/harbour.mjs], trusted: true } }
//
// It speaks the protocol itself, so that it runs without any package: one JSON-RPC message per line on standard input and
// output. A real server uses an SDK, such as @modelcontextprotocol/sdk.

import { createInterface } from "node:readline";

/** Minutes after midnight of the first high tide of 1 January 2026, and of the first ferry of every day. */
const HARBOURS = {
  Hamburg: { tide: 95, ferry: 375 },
  Kiel: { tide: 310, ferry: 410 },
  Husum: { tide: 20, ferry: 450 },
};
const EPOCH = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const TIDE_MINUTES = 745;
const FERRY_MINUTES = 40;
const LAST_FERRY = 22 * 60;

const timeOf = (/** @type {number} */ ms) => `${new Date(ms).toISOString().slice(11, 16)} UTC`;

/** @type {Record<string, { description: string, run(name: keyof typeof HARBOURS): string }>} */
const TOOLS = {
  next_tide: {
    description: "The next high tide in a harbour.",
    run: (name) => {
      const minutes = (Date.now() - EPOCH) / MINUTE_MS - HARBOURS[name].tide;
      const next = EPOCH + (HARBOURS[name].tide + Math.ceil(minutes / TIDE_MINUTES) * TIDE_MINUTES) * MINUTE_MS;
      return `The next high tide in ${name} is at ${timeOf(next)}.`;
    },
  },
  next_ferry: {
    description: "The next ferry from a harbour.",
    run: (name) => {
      const midnight = new Date().setUTCHours(0, 0, 0, 0);
      const minutes = Math.max(0, (Date.now() - midnight) / MINUTE_MS - HARBOURS[name].ferry);
      const next = HARBOURS[name].ferry + Math.ceil(minutes / FERRY_MINUTES) * FERRY_MINUTES;
      if (next > LAST_FERRY) return `No ferry leaves ${name} any more today.`;
      return `The next ferry leaves ${name} at ${timeOf(midnight + next * MINUTE_MS)}.`;
    },
  },
};

const inputSchema = {
  type: "object",
  properties: { harbour: { type: "string", enum: Object.keys(HARBOURS), description: "The harbour." } },
  required: ["harbour"],
};

/** @type {Record<string, (params: any) => object>} */
const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "harbour", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: Object.entries(TOOLS).map(([name, { description }]) => ({
      name,
      description,
      inputSchema,
      annotations: { readOnlyHint: true },
    })),
  }),
  "tools/call": ({ name, arguments: { harbour } }) => ({
    content: [{ type: "text", text: TOOLS[name]?.run(harbour) ?? "There is no such tool." }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  // A message without an id is a notification, which has no answer.
  if (id === undefined) continue;
  const answer = METHODS[method];
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
}

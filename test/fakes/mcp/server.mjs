// An MCP server in plain Node, for tests. The first argument is a JSON object that says how it behaves.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const plan = JSON.parse(process.argv[2] ?? "{}");
const note = (line) => plan.log && appendFileSync(plan.log, `${JSON.stringify(line)}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id, result) => send({ id, result });

note({ started: process.pid, env: process.env, cwd: process.cwd() });
if (plan.stderr) process.stderr.write(`${plan.stderr}\n`);
if (plan.exitAtStart || (plan.exitIf && existsSync(plan.exitIf))) process.exit(3);
// A lock that only the end of the process releases, such as that of a database.
if (plan.lock) {
  const holder = existsSync(plan.lock) ? Number(readFileSync(plan.lock, "utf8")) : 0;
  const isHeld = holder !== 0 && existsSync(`/proc/${holder}`);
  if (isHeld) process.stderr.write(`locked by ${holder}\n`);
  if (isHeld) process.exit(4);
  writeFileSync(plan.lock, String(process.pid));
}
if (plan.rubbish) process.stdout.write("Welcome!\nthis is not JSON\n".repeat(plan.rubbish));
if (plan.ignoreSigterm) process.on("SIGTERM", () => note("SIGTERM"));
if (plan.child) note({ child: spawn("sleep", ["600"], { stdio: "ignore" }).pid });
if (plan.stayAlive) setInterval(() => {}, 1_000);

let tools = plan.tools ?? [{ name: "echo", inputSchema: { type: "object", properties: { text: { type: "string" } } } }];
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const results = {
  echo: ({ text = "" }, { _meta }) => ({ content: [{ type: "text", text: `echo: ${text}` }], _meta }),
  leak: () => ({
    content: [{ type: "text", text: `key ${process.env.TIDE_API_KEY} in ${process.env.TIDE_MODE}` }],
  }),
  fail: () => ({ content: [{ type: "text", text: "the disk is full" }], isError: true }),
  picture: () => ({
    content: [
      { type: "text", text: "a picture" },
      { type: "image", data: PIXEL, mimeType: "image/png" },
    ],
  }),
  art: () => ({
    content: [
      { type: "image", data: PIXEL, mimeType: "image/png" },
      {
        type: "resource",
        resource: {
          uri: "file:///out/ships.csv",
          mimeType: "text/csv",
          blob: Buffer.from("ship,metres\nAnna,12\n").toString("base64"),
        },
      },
    ],
  }),
  everything: () => ({
    content: [
      { type: "audio", data: PIXEL, mimeType: "audio/wav" },
      { type: "resource_link", uri: "file:///a.txt", name: "a.txt", mimeType: "text/plain" },
      { type: "resource", resource: { uri: "file:///b.txt", text: "text of b" } },
      { type: "resource", resource: { uri: "file:///c.pdf", mimeType: "application/pdf", blob: PIXEL } },
      { type: "hologram" },
    ],
  }),
  structured: () => ({ content: [], structuredContent: { knots: 12 } }),
  long: () => ({ content: [{ type: "text", text: "x".repeat(200_000) }] }),
};

const call = (id, params) => {
  const { name, arguments: input = {}, _meta } = params;
  note({ call: name, input, _meta });
  if (name === "die") process.exit(7);
  if (name === "hang") return;
  if (name === "huge") {
    const piece = "x".repeat(1_000_000);
    process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"');
    for (let megabytes = 0; megabytes < 100; megabytes++) process.stdout.write(piece);
    process.stdout.write('"}]}}\n');
    return;
  }
  if (name === "flood") {
    const note = (data) =>
      `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } })}\n`;
    const texts = { "empty lines": "\n".repeat(500), "large messages": note("x".repeat(1_000_000)) };
    const text = texts[plan.flood] ?? note("x").repeat(500);
    const more = () => process.stdout.write(text, () => setImmediate(more));
    more();
    return;
  }
  if (name === "leak_error")
    return send({ id, error: { code: -32_001, message: `wrong key ${process.env.TIDE_API_KEY}` } });
  if (name === "leak_and_die") {
    process.stderr.write(`refused ${process.env.TIDE_API_KEY}\n`, () => process.exit(5));
    return;
  }
  if (name === "chatter") process.stdout.write("a note that is not a message\n".repeat(150));
  if (name === "change") {
    tools = [{ name: "other", inputSchema: { type: "object" } }];
    send({ method: "notifications/tools/list_changed" });
    // The answer follows once the client has read the new list.
    waiting = () => answer(id, { content: [{ type: "text", text: "changed" }] });
    return;
  }
  if (name === "slow") {
    for (const step of [1, 2]) {
      send({
        method: "notifications/progress",
        params: { progressToken: _meta?.progressToken, progress: step, total: 4, message: `part ${step}` },
      });
    }
    const until = setInterval(() => {
      if (!existsSync(plan.until)) return;
      clearInterval(until);
      answer(id, { content: [{ type: "text", text: "slow and done" }] });
    }, 20);
    return;
  }
  if (!tools.some((tool) => tool.name === name))
    return send({ id, error: { code: -32602, message: `Unknown tool ${name}` } });
  answer(id, plan.result ?? (results[name] ?? results.echo)(input, params));
};
let waiting;

const methods = {
  initialize: (id, { protocolVersion }) =>
    plan.hangAtStart ||
    answer(id, {
      protocolVersion,
      capabilities: { tools: { listChanged: true }, ...plan.capabilities },
      serverInfo: { name: "fake", version: "1" },
    }),
  "tools/list": (id) => {
    answer(id, { tools });
    if (waiting) setTimeout(waiting, 50);
    waiting = undefined;
  },
  "tools/call": call,
  "resources/list": (id) => answer(id, { resources: [{ uri: "tide://today", name: "tides of today" }] }),
  "resources/read": (id, { uri }) => answer(id, { contents: [{ uri, text: `contents of ${uri}` }] }),
  "prompts/list": (id) => answer(id, { prompts: [{ name: "greet", arguments: [{ name: "who" }] }] }),
  "prompts/get": (id, { arguments: given }) =>
    answer(id, { messages: [{ role: "user", content: { type: "text", text: `Greet ${given?.who}.` } }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (method?.startsWith("notifications/")) note({ notified: method, params });
  else methods[method]?.(id, params);
});
if (!plan.stayAlive) process.stdin.on("end", () => process.exit(0));

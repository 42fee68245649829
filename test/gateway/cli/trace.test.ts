import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TraceOptions, trace } from "../../../gateway/cli/trace/trace.ts";

const TOKEN = "kX9vQ2mT7wZ4pR1bN8sD";
const CONVERSATION = { channel: "slack", workspace: "T1", room: "C1" };
const STEP = { step: 0, calls: [{ name: "spawn_subtask", state: "done" }], inputTokens: 120, outputTokens: 7 };
const TRACE = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  agent: "mooring",
  state: "ended",
  origin: { promptSummary: "how high is the \u001b[31mtide?" },
  asker: { name: "Ann" },
  conversation: CONVERSATION,
  turns: [
    {
      turnId: "t-1",
      messageId: "slack:Ev1",
      agent: "mooring",
      trigger: "message",
      openedAt: "2026-11-16T09:00:00.000Z",
      endedAt: "2026-11-16T09:00:01.200Z",
      outcome: "answered",
      model: "anthropic/claude-x",
      steps: [STEP],
      subtasks: ["subtask-1"],
      reply: {
        replyId: "t-1/final",
        deliveries: [
          { conversation: CONVERSATION, part: 0, state: "accepted", at: "2026-11-16T09:00:01.300Z", messageId: "17.1" },
          { conversation: { channel: "web", room: "r" }, part: 1, state: "given-up", reason: "target-gone" },
        ],
      },
    },
    {
      turnId: "t-2",
      messageId: "peer/mooring/call-1",
      agent: "harbour",
      trigger: "peer",
      openedAt: "2026-11-16T09:00:00.500Z",
      steps: [],
      subtasks: [],
    },
  ],
  subtasks: [
    {
      id: "subtask-1",
      name: "tides",
      status: "completed",
      result: "partial",
      turnId: "t-1",
      createdAt: "2026-11-16T09:00:00.100Z",
      completedAt: "2026-11-16T09:00:00.900Z",
      steps: [],
    },
    {
      id: "subtask-2",
      name: "moon",
      status: "running",
      parent: "subtask-1",
      turnId: "t-9",
      createdAt: "2026-11-16T09:00:00.200Z",
      steps: [],
    },
  ],
  hops: [
    {
      id: "call-1",
      agent: "mooring",
      peer: "harbour",
      mode: "consult",
      state: "answered",
      turnId: "t-1",
      createdAt: "2026-11-16T09:00:00.400Z",
      endedAt: "2026-11-16T09:00:00.800Z",
      remoteTask: "task-7",
    },
  ],
};

let folder: string;
let gateway: Server;
let url: string;
/** The URLs of the requests. */
let asked: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mooring-trace-"));
  asked = [];
  gateway = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
    const refuse = (status: number, message: string) => answer(status, { error: { code: "x", message } });
    if (request.url?.startsWith("/elsewhere/")) return void response.writeHead(200).end("<html>");
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return refuse(401, "an operator's token is required");
    if (request.url?.includes("/traces/forbidden")) return refuse(403, "your role does not suffice");
    if (request.url?.includes("/traces/unknown")) return refuse(404, "nothing is known by this id");
    return answer(200, TRACE);
  });
  await once(gateway.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  await write("token", `${TOKEN}\n`);
});
afterAll(async () => {
  gateway.closeAllConnections();
  gateway.close();
  await rm(folder, { recursive: true });
});

const write = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};
const ask = (options: Partial<TraceOptions> = {}) =>
  trace({
    id: "slack:Ev1",
    file: undefined,
    url,
    agent: undefined,
    tokenFile: join(folder, "token"),
    json: false,
    ...options,
  });

describe("given a running gateway", () => {
  it("when a trace is requested, then it is printed from intake to each delivery, with platform ids (U2)", async () => {
    expect(await ask()).toBe(
      [
        "Trace 4bf92f3577b34da6a3ce929d0e0e4736, ended",
        "mooring, asked by Ann in slack / T1 / C1: how high is the [31mtide?",
        "",
        "2026-11-16 09:00:00.000  turn t-1, message: answered by anthropic/claude-x after 1.2 s",
        "                           message slack:Ev1",
        "                           step 0, 120 tokens read, 7 written: spawn_subtask",
        "2026-11-16 09:00:00.100    subtask-1, tides: completed (partial) after 0.8 s",
        "2026-11-16 09:00:00.200      subtask-2, moon: running",
        "2026-11-16 09:00:00.400    call-1 to harbour, consult: answered after 0.4 s as task task-7 there",
        "                           reply t-1/final",
        "2026-11-16 09:00:01.300      slack / T1 / C1: accepted as 17.1",
        "                             web / r, part 2: given-up (target-gone)",
        "2026-11-16 09:00:00.500  turn t-2 of harbour, peer: running",
        "                           message peer/mooring/call-1",
        "",
      ].join("\n"),
    );
  });

  it("when JSON is requested, then it is printed as the API sent it", async () => {
    expect(JSON.parse(await ask({ json: true, id: "t-1/final", agent: "mooring" }))).toEqual(TRACE);
    expect(asked.at(-1)).toBe("/admin/api/traces/t-1%2Ffinal?agent=mooring");
  });

  it("when the token is in the configuration, then no flag is needed", async () => {
    const agents = "agents: [{ name: mooring, model: demo }]";
    const tokens = `[{ token: hB5nY8rC3dL6gJ0fW2tE, role: org_admin, tenant: default }, { token: ${TOKEN}, role: platform_admin }]`;
    const file = await write("mooring.yaml", `${agents}\nadmin: { tokens: ${tokens} }`);
    expect(await ask({ file, tokenFile: undefined })).toContain("slack:Ev1");
  });

  it("when the token was made at the first start, then it is found in dataDir", async () => {
    await write("admin-token", TOKEN);
    const file = await write("made.yaml", `agents: [{ name: mooring, model: demo }]\ndataDir: ${folder}`);
    expect(await ask({ file, tokenFile: undefined })).toContain("slack:Ev1");
  });
});

describe("given a trace that cannot be read", () => {
  it.each([
    [
      "nothing is known by the id",
      { id: "unknown" },
      /^unknown: nothing is known by this id\. Work of other tenants is not shown/,
    ],
    ["the role does not suffice", { id: "forbidden" }, /your role does not suffice/],
    ["the address is none", { url: "localhost" }, /--url localhost must be an http or https address such as/],
    [
      "no gateway is there",
      { url: "http://127.0.0.1:9" },
      /no gateway answers at .*:9 \(.+\): start it, or set another address/,
    ],
    ["the token file is not there", { tokenFile: "/nonexistent/token" }, /could not read --token-file .*: ENOENT/],
  ])("when %s, then the error says what to do", async (_, options, message) => {
    await expect(ask(options)).rejects.toThrow(message);
  });

  it("when the token is wrong or missing, then the error says where to find one", async () => {
    await expect(ask({ tokenFile: await write("wrong", "not-the-token") })).rejects.toThrow(
      /does not accept the operator's token: .*--config.*--token-file/,
    );
    await expect(ask({ tokenFile: await write("empty", " \n") })).rejects.toThrow("must contain one token");
    const file = await write("none.yaml", "agents: [{ name: mooring, model: demo }]\ndataDir: /nonexistent");
    await expect(ask({ file, tokenFile: undefined })).rejects.toThrow(/no operator's token found: .*admin-token/);
  });

  it("when the configuration has only the digest of a token, then the error asks for a file with the token", async () => {
    const tokens = `[{ token: "sha256:${"a1b2".repeat(16)}", role: platform_admin }]`;
    const file = await write("digest.yaml", `agents: [{ name: mooring, model: demo }]\nadmin: { tokens: ${tokens} }`);
    await expect(ask({ file, tokenFile: undefined })).rejects.toThrow(
      /only digests of operators' tokens.*--token-file/,
    );
  });

  it("when another server answers, then it is not taken for a gateway", async () => {
    await expect(ask({ url: `${url}/elsewhere/` })).rejects.toThrow("is not a Mooring gateway");
  });
});

import type { Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "a2a-sdk-0-3";
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from "a2a-sdk-0-3/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { LegacyAgentCard } from "../fakes/a2a/legacy-card-schema.ts";
import { Product, type StartedProcess } from "./product.ts";

beforeAll(requireFreshBuild);

const TOKEN = "tR7wq0Zk-41xVb8Lm2cYdN6sHf3uJe9P";
const AUTHORIZED = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };

let product: Product;
let mooring: StartedProcess;
beforeAll(async () => {
  product = await Product.create({ backbone: "embedded", config: { a2a: { callers: { crm: { token: TOKEN } } } } });
  mooring = await product.start("start");
  await mooring.ready();
});
afterAll(() => product?.dispose());

const fetchImpl: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set("authorization", AUTHORIZED.authorization);
  return fetch(input, { ...init, headers });
};

/** The protocol's client of version 0.3, which finds the agent by its card only. */
const oldClient = (): Promise<Client> =>
  new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(mooring.address);

const says = (messageId: string, text: string) => ({
  message: { kind: "message", messageId, role: "user", parts: [{ kind: "text", text }] } satisfies Message,
});

const textOf = ({ artifacts = [] }: Task): string =>
  artifacts.flatMap(({ parts }) => parts.map((part) => (part.kind === "text" ? part.text : ""))).join("");

describe("given the SDK of version 0.3, and an agent without skills", () => {
  it("when it looks for the agent, then it finds a card of 0.3, and may read the extended one", async () => {
    const client = await oldClient();
    LegacyAgentCard.parse(await (await fetch(`${mooring.address}/.well-known/agent-card.json`)).json());
    LegacyAgentCard.parse(await client.getAgentCard());
  });

  it("when it sends, streams and reads, then it is answered in version 0.3 (A8)", async () => {
    const client = await oldClient();
    const sent = await client.sendMessage(says("old-1", "what is 6 * 7?"));
    if (sent.kind !== "task") throw new Error("a message came where a task should have");
    expect([sent.status.state, textOf(sent)]).toEqual(["completed", expect.stringContaining("42")]);
    const read = await client.getTask({ id: sent.id });
    expect(textOf(read)).toBe(textOf(sent));
    const events: (Message | Task | TaskStatusUpdateEvent | TaskArtifactUpdateEvent)[] = [];
    for await (const event of client.sendMessageStream(says("old-2", "what is 6 * 8?"))) events.push(event);
    expect(events.at(-1)).toMatchObject({ kind: "status-update", final: true, status: { state: "completed" } });
    expect(events.map(({ kind }) => kind)).toContain("artifact-update");
  });
});

describe("given a caller that ends the agent's address with a slash", () => {
  it("when it calls, then it is answered there, and other callers are not", async () => {
    const message = { messageId: "slash-1", role: "ROLE_USER", parts: [{ text: "what is 6 * 7?" }] };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } });
    const call = (headers: Record<string, string>) =>
      fetch(`${mooring.address}/a2a/mooring/`, { method: "POST", headers: { ...headers, "a2a-version": "1.0" }, body });
    expect(await (await call(AUTHORIZED)).text()).toContain("42");
    expect((await call({ "content-type": "application/json" })).status).toBe(401);
    const tasks = await fetch(`${mooring.address}/a2a/mooring/tasks/`, {
      headers: { ...AUTHORIZED, "a2a-version": "1.0" },
    });
    expect(tasks.status).toBe(200);
  });
});

describe("given a caller that names a webhook inside our network (F26)", () => {
  it.each([
    "http://[::127.0.0.1]:9/",
    "http://[::ffff:127.0.0.1]:9/",
    "http://168.63.129.16/metadata",
    "http://169.254.169.254/latest",
    "http://100.100.100.200/latest",
    "http://[fd00:ec2::254]/latest",
    "http://[64:ff9b::a9fe:a9fe]/latest",
    "http://[2002:7f00:1::]/",
    "http://[fec0::1]/",
  ])("when it is %s, then it is refused at once", async (url) => {
    const message = { messageId: `hook ${url}`, role: "ROLE_USER", parts: [{ text: "hello" }] };
    const configuration = { taskPushNotificationConfig: { url }, returnImmediately: true };
    const response = await fetch(`${mooring.address}/a2a/mooring/message:send`, {
      method: "POST",
      headers: { ...AUTHORIZED, "a2a-version": "1.0" },
      body: JSON.stringify({ message, configuration }),
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("not a public address")]);
  });
});

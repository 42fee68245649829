import { AgentCard, TaskState } from "@a2a-js/sdk";
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { LegacyAgentCard } from "../../fakes/a2a/legacy-card-schema.ts";
import { A2aUnderTest, answerOf, asTask, credentials, says } from "./a2a-under-test.ts";

let server: A2aUnderTest;
beforeAll(async () => {
  server = await A2aUnderTest.start(() => "Nine metres.");
});
afterAll(() => server.dispose());

const Fields = z.record(z.string(), z.unknown());
const Sent = z.object({ task: z.object({ id: z.string(), status: z.object({ state: z.string() }) }) });
const Answer = z.object({ result: Sent });

const CARD = "/.well-known/agent-card.json";
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${server.url}${path}`, { headers });

describe("given a client that discovers an agent (A8)", () => {
  it.each([
    ["an agent with skills", CARD, {}],
    ["an agent without skills", `/a2a/other${CARD}`, {}],
    ["an agent with skills, by version", CARD, { "a2a-version": "0.3" }],
    ["an agent without skills, by version", `/a2a/other${CARD}`, { "a2a-version": "0.3" }],
  ])("when it speaks 0.3 and reads the card of %s, then the card is valid for 0.3", async (_, path, headers) => {
    const card = LegacyAgentCard.parse(await (await get(path, headers)).json());
    expect(card).toMatchObject({
      protocolVersion: "0.3.0",
      preferredTransport: "JSONRPC",
      security: [{ bearer: [] }, { apiKey: [] }],
      securitySchemes: { bearer: { type: "http", scheme: "Bearer" }, apiKey: { type: "apiKey", in: "header" } },
      supportsAuthenticatedExtendedCard: true,
    });
  });

  it("when it speaks 1.0 and a proxy drops its version, then the card is also valid for 1.0", async () => {
    const raw = await (await get(CARD)).json();
    const named = await (await get(CARD, { "a2a-version": "1.0" })).json();
    const { signatures: _, ...read } = AgentCard.fromJSON(raw);
    const { signatures: __, ...expected } = AgentCard.fromJSON(named);
    expect(read).toEqual(expected);
    const fetchImpl: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      if (String(input).endsWith(CARD)) headers.delete("a2a-version");
      for (const [name, value] of Object.entries(credentials.alice)) headers.set(name, value);
      return fetch(input, { ...init, headers });
    };
    for (const legacyCompat of [{ enabled: false }, { enabled: true }]) {
      const factory = new ClientFactory({
        transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
        cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
      });
      const client = await factory.createFromUrl(server.url);
      expect(client.protocolVersion).toBe("1.0");
      const task = asTask(await client.sendMessage(says("How deep?")));
      expect([task.status?.state, answerOf(task)]).toEqual([TaskState.TASK_STATE_COMPLETED, "Nine metres."]);
    }
  });
});

describe("given a client that appends a slash to addresses", () => {
  it("when it reads cards and keys, then they are the same", async () => {
    for (const path of [CARD, `/a2a/mooring${CARD}`, "/.well-known/jwks.json"]) {
      const [plain, slashed] = await Promise.all([get(path), get(`${path}/`)]);
      const [one, other] = [await plain.json(), await slashed.json()].map((json) => Fields.parse(json));
      expect([slashed.status, Object.keys(other ?? {})]).toEqual([200, Object.keys(one ?? {})]);
    }
  });

  it("when it calls by JSON-RPC or HTTP+JSON, then it is answered", async () => {
    const message = { messageId: "slash-1", role: "ROLE_USER", parts: [{ text: "How deep?" }] };
    const rpc = { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } };
    const { result } = Answer.parse(await (await server.post("/a2a/mooring/", rpc)).json());
    expect(result.task.status.state).toBe("TASK_STATE_COMPLETED");
    const old = await server.post(
      "/a2a/mooring/",
      { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: result.task.id } },
      { "a2a-version": "" },
    );
    expect(await old.json()).toMatchObject({ result: { kind: "task", status: { state: "completed" } } });
    const sent = await server.post("/a2a/mooring/message:send/", { message: { ...message, messageId: "slash-2" } });
    const { id } = Sent.parse(await sent.json()).task;
    const version = { ...credentials.alice, "a2a-version": "1.0" };
    for (const path of [`tasks/${id}/`, "tasks/", `tasks/${id}/pushNotificationConfigs/`, "extendedAgentCard/"]) {
      expect([path, (await get(`/a2a/mooring/${path}`, version)).status]).toEqual([path, 200]);
    }
  });

  it("when it sends no credentials, then it is refused there too", async () => {
    const statuses = await Promise.all([
      server.post("/a2a/mooring/", {}, { authorization: "" }),
      server.post("/a2a/mooring/message:send/", {}, { authorization: "" }),
      get("/a2a/mooring/tasks/"),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401]);
  });
});

import { AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { A2aUnderTest, credentials, says } from "./a2a-under-test.ts";

let server: A2aUnderTest;
let clock: ManualClock;
beforeEach(async () => {
  clock = new ManualClock();
  server = await A2aUnderTest.start(() => "Done.", { clock });
});
afterEach(() => server.dispose());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${server.url}${path}`, { headers });
const KeySet = z.object({ keys: z.array(z.looseObject({ kid: z.string() })) });
const CARD = "/.well-known/agent-card.json";

describe("given a client without credentials", () => {
  it.each([CARD, `/a2a/mooring${CARD}`])(
    "when it reads %s, then the card has the form of the protocol (A8)",
    async (path) => {
      const response = await get(path, { "a2a-version": "1.0" });
      const card = await response.json();
      expect(response.headers.get("content-type")).toContain("application/json");
      expect(card).toMatchObject({
        securitySchemes: {
          bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } },
          apiKey: { apiKeySecurityScheme: { location: "header", name: "X-API-Key" } },
        },
        supportedInterfaces: [{ url: `${server.url}/a2a/mooring` }, {}, {}],
      });
      const { supportedInterfaces } = AgentCard.fromJSON(card);
      expect(
        supportedInterfaces.map(({ protocolBinding, protocolVersion }) => [protocolBinding, protocolVersion]),
      ).toEqual([
        ["JSONRPC", "1.0"],
        ["HTTP+JSON", "1.0"],
        ["JSONRPC", "0.3"],
      ]);
    },
  );

  it("when it verifies a card's signature, then it is valid for this card only", async () => {
    const client = await server.client();
    const cards = [AgentCard.fromJSON(await (await get(CARD)).json()), await client.getAgentCard()];
    const verify = verifyAgentCardSignature(async (kid, jku = "") => {
      const { keys } = KeySet.parse(await (await fetch(jku)).json());
      return keys.find((key) => key.kid === kid) ?? {};
    });
    for (const card of cards) {
      await verify(card);
      await expect(verify({ ...card, description: "Knows everything." })).rejects.toThrow();
    }
  });

  it("when it sends no version, then the card also has the address in the field of 0.3", async () => {
    const card = await (await get(CARD)).json();
    expect(card).toMatchObject({
      url: `${server.url}/a2a/mooring`,
      preferredTransport: "JSONRPC",
      securitySchemes: { bearer: { httpAuthSecurityScheme: {} } },
    });
    const legacy = await (await get(CARD, { "a2a-version": "0.3" })).json();
    expect(legacy).toMatchObject({ securitySchemes: { bearer: { type: "http", scheme: "Bearer" } } });
  });

  it.each<Record<string, string>>([
    {},
    { authorization: "Bearer wrong-token-of-a-caller" },
    { authorization: "Bearer " },
    { authorization: "Basic YWxpY2U6eA==" },
    { "x-api-key": "alices-long-token" },
    { authorization: "Bearer bobs-long-api-key" },
    { "x-api-key": "sha256:24d69631deb3d2cc56baacaf7434bedb42fcce6489b233b3668589799f5f5778" },
  ])("when it calls with %j, then the response is 401", async (headers) => {
    for (const path of ["/a2a/mooring", "/a2a/mooring/message:send", "/a2a/mooring/tasks/x:cancel"]) {
      const response = await fetch(`${server.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "a2a-version": "1.0", ...headers },
        body: "{}",
      });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toContain("Bearer");
    }
    expect(server.model.requests.items).toEqual([]);
  });
});

describe("given a caller above its rate limit", () => {
  it("when it sends another request, then the response has a retry delay, and other callers are not limited", async () => {
    const ask = (caller: "alice" | "dave") =>
      get("/a2a/mooring/tasks", { "a2a-version": "1.0", ...credentials[caller] });
    expect([(await ask("dave")).status, (await ask("dave")).status]).toEqual([200, 200]);
    const refused = await ask("dave");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"]);
    expect(await refused.json()).toMatchObject({ error: { code: "rate-limited" } });
    expect((await server.post("/a2a/mooring", {}, credentials.dave)).status).toBe(429);
    expect((await ask("alice")).status).toBe(200);
    clock.advance(30_000);
    expect((await ask("dave")).status).toBe(200);
  });
});

describe("given an agent with too many waiting messages", () => {
  let sent = 0;
  const rest = () => ({ message: { messageId: `m-${++sent}`, role: "ROLE_USER", parts: [{ text: "How deep?" }] } });
  const text = { kind: "text", text: "How deep?" };
  const legacy = () => ({ message: { kind: "message", messageId: `m-${++sent}`, role: "user", parts: [text] } });
  const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 7, method, params });

  it("when a caller sends another, then it gets an error of the protocol, and other requests are answered", async () => {
    const send = (agent: string) => server.post(`/a2a/${agent}`, rpc("SendMessage", rest()));
    const { intakeLoad } = subjectsOf("default");
    server.core.bus.signal(intakeLoad("mooring"), { process: "a", waiting: 10_000 });
    await expect.poll(async () => (await send("mooring")).status).toBe(429);
    const asked = server.model.requests.items.length;

    const overRpc = {
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32_603, message: expect.stringMatching(/too many messages are waiting/) },
    };
    const overRest = { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: overRpc.error.message } };
    for (const [path, body, version, refusal] of [
      ["", rpc("SendMessage", rest()), "1.0", overRpc],
      ["", rpc("SendStreamingMessage", rest()), "1.0", overRpc],
      ["", rpc("message/send", legacy()), "0.3", overRpc],
      ["", rpc("message/stream", legacy()), "0.3", overRpc],
      ["/message:send", rest(), "1.0", overRest],
      ["/message:stream", rest(), "1.0", overRest],
    ] as const) {
      const response = await server.post(`/a2a/mooring${path}`, body, { "a2a-version": version });
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "5"]);
      expect(await response.json()).toMatchObject(refusal);
    }
    expect(server.model.requests.items).toHaveLength(asked);
    const others = [await server.post("/a2a/mooring", rpc("ListTasks", {})), await send("other")];
    for (const response of others) expect(await response.json()).toHaveProperty("result");

    clock.advance(6_000);
    expect(await (await send("mooring")).json()).toHaveProperty("result");
  });
});

describe("given a caller with limits", () => {
  it("when it calls an agent that it may not call, then it is refused", async () => {
    const response = await server.post("/a2a/other", {}, credentials.carol);
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: "forbidden" } }]);
  });

  it("when it names no skill and may use one, then that skill is used", async () => {
    const carol = await server.client("JSONRPC", "carol");
    expect(await carol.sendMessage(says("How deep?"))).toMatchObject({ metadata: { skill: "facts" } });
  });

  it.each(["news", "nothing", 7])(
    "when it names the skill %j, which it may not use, then the error lists the skills that it may use",
    async (skill) => {
      const carol = await server.client("JSONRPC", "carol");
      await expect(carol.sendMessage(says("News!", { metadata: { skill } }))).rejects.toThrow("may use here: facts");
      expect(server.model.requests.items).toEqual([]);
    },
  );
});

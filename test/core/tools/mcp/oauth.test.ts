import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { prefixOf } from "../../../../core/contract/ports/store.ts";
import { ALL, McpRig, run } from "../../../fakes/mcp/mcp-rig.ts";
import { OAuthServer } from "../../../fakes/mcp/oauth-server.ts";
import { MemoryStore } from "../../../fakes/memory-store.ts";

let rig: McpRig;
let server: OAuthServer;
let store: MemoryStore;
beforeEach(async () => {
  store = new MemoryStore();
  rig = await McpRig.create(store);
  server = await OAuthServer.start();
});
afterEach(async () => {
  await rig.dispose();
  await server.stop();
});

const configured = (oauth: object = {}) => ({
  calc: {
    url: `${server.url}/mcp`,
    approval: "never",
    oauth: { clientId: "mooring", clientSecret: "s3cret-of-the-client", issuer: server.url, scope: "read", ...oauth },
  },
});

describe("given a remote server that wants an access token (T1)", () => {
  it("when Mooring connects, then it requests one with its own credentials, and a later process uses the stored one", async () => {
    const before = rig.start(configured());
    const { tools } = await before.source.offer(ALL);
    expect(await run(tools, "calc__add", { a: 1, b: 2 })).toEqual({ text: "3" });
    expect(server.tokenRequests.map(({ authorization, body }) => [authorization, Object.fromEntries(body)])).toEqual([
      [
        `Basic ${Buffer.from("mooring:s3cret-of-the-client").toString("base64")}`,
        { grant_type: "client_credentials", scope: "read", resource: `${server.url}/mcp` },
      ],
    ]);
    await before.mcp.stop();
    const { tools: later } = await rig.start(configured()).source.offer(ALL);
    expect(await run(later, "calc__add", { a: 2, b: 2 })).toEqual({ text: "4" });
    expect(server.tokenRequests).toHaveLength(1);
  });

  it("when the token expires, then a new one is requested and the call works", async () => {
    const { tools } = await rig.start(configured()).source.offer(ALL);
    server.expire();
    expect(await run(tools, "calc__add", { a: 1, b: 2 })).toEqual({ text: "3" });
    expect(server.tokenRequests).toHaveLength(2);
  });

  it("when the store is read, then it reveals no token", async () => {
    await rig.start(configured()).source.offer(ALL);
    const tokens = { name: "tool-tokens", schema: { parse: (value: unknown) => value } as never };
    const stored = [];
    for await (const { value } of store.list(prefixOf(tokens))) stored.push(value);
    expect(stored).toEqual([{ sealed: expect.any(String) }]);
    expect(JSON.stringify(stored)).not.toContain(server.token);
    expect(Buffer.from((stored[0] as unknown as { sealed: string }).sealed, "base64url").toString()).not.toContain(
      "token-",
    );
  });

  it("when the server names another authorization server than the configuration, then the secret is not sent", async () => {
    const { unavailable } = await rig.start(configured({ issuer: "https://login.example.com" })).source.offer(ALL);
    expect(unavailable).toHaveLength(1);
    expect(server.tokenRequests).toEqual([]);
  });
});

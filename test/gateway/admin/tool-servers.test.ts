import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openInBrowser, SignInServer } from "../../fakes/mcp/sign-in-server.ts";
import { AdminRig, acmeAdmin, platformAdmin } from "./admin-rig.ts";

let rig: AdminRig;
let tides: SignInServer;
beforeEach(async () => {
  tides = await SignInServer.start();
  const oauth = { signIn: true, tokenKey: "key-of-this-deployment" };
  const mcpServers = { tides: { url: `${tides.url}/mcp`, oauth }, local: { command: "node" } };
  rig = await AdminRig.open(undefined, { mcpServers });
});
afterEach(async () => {
  await rig.close();
  await tides.stop();
});

const SIGN_IN = "tool-servers/mooring/tides/sign-in";

describe("given agents with MCP servers (T1, U3)", () => {
  it("when operators sign in and out, then the list shows it and the audit log names the server", async () => {
    const { body: before } = await rig.call("GET", "tool-servers");
    expect(before.items).toMatchObject([
      { agent: "mooring", server: "tides", signIn: "needed" },
      { agent: "mooring", server: "local", signIn: "none", where: "node" },
    ]);
    const { address: _, ...response } = await openInBrowser((await rig.call("POST", SIGN_IN)).body.url);
    const { body: signedIn } = await rig.call("POST", "tool-servers/sign-in", response);
    expect(signedIn).toMatchObject({ server: "tides", signIn: "done", signedInAt: "2026-11-16T08:00:00.000Z" });
    const audit = await vi.waitFor(async () => {
      const { items } = (await rig.call("GET", "audit")).body;
      const completed = items.find(({ action }: { action: string }) => action.endsWith("tool-servers/sign-in"));
      // An entry is completed after the answer.
      expect(completed).toMatchObject({ detail: { agent: "mooring", server: "tides" }, status: 200 });
      return JSON.stringify(items);
    });
    expect(audit).not.toContain(response.state);
    const { body: signedOut } = await rig.call("POST", "tool-servers/mooring/tides/sign-out");
    expect(signedOut).toMatchObject({ signIn: "needed" });
  });

  it("when an operator of another tenant tries, then they see no server, get no link and complete no sign-in", async () => {
    expect((await rig.call("GET", "tool-servers", undefined, acmeAdmin)).body.items).toEqual([]);
    expect((await rig.call("POST", SIGN_IN, undefined, acmeAdmin)).status).toBe(404);
    const { address: _, ...response } = await openInBrowser((await rig.call("POST", SIGN_IN)).body.url);
    expect((await rig.call("POST", "tool-servers/sign-in", response, acmeAdmin)).status).toBe(404);
    expect((await rig.call("POST", "tool-servers/mooring/tides/sign-out", undefined, acmeAdmin)).status).toBe(404);
    expect((await rig.call("POST", "tool-servers/sign-in", response, platformAdmin)).status).toBe(200);
  });

  it("when a request makes no sense, then the answer says why", async () => {
    const message = async (path: string, body?: object) => (await rig.call("POST", path, body)).body.error.message;
    expect(await message("tool-servers/mooring/local/sign-in")).toContain("needs no sign-in");
    expect(await message("tool-servers/mooring/none/sign-in")).toContain('no tool server "none"');
    expect(await message("tool-servers/sign-in", { code: "c" })).toContain("state");
    expect(await message("tool-servers/sign-in", { state: "s" })).toContain("start it again");
  });
});

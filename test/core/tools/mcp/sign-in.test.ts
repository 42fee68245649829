import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { collection, prefixOf } from "../../../../core/contract/ports/store.ts";
import { McpServersConfig } from "../../../../core/tools/mcp/config.ts";
import {
  completeSignIn,
  type SignInTarget,
  signedInAt,
  signInTarget,
  signOut,
  startSignIn,
} from "../../../../core/tools/mcp/index.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { ALL, McpRig, run } from "../../../fakes/mcp/mcp-rig.ts";
import { openInBrowser, SignInServer } from "../../../fakes/mcp/sign-in-server.ts";
import { MemoryStore } from "../../../fakes/memory-store.ts";

const REF = { tenant: "default", agent: "mooring" };
const REDIRECT = "http://localhost:8080/console/tool-servers/callback";

let rig: McpRig;
let server: SignInServer;
let store: MemoryStore;
let clock: ManualClock;
beforeEach(async () => {
  store = new MemoryStore();
  clock = new ManualClock(Date.now());
  rig = await McpRig.create(store);
  server = await SignInServer.start();
});
afterEach(async () => {
  await rig.dispose();
  await server.stop();
});

const configured = (oauth: object = {}, url = `${server.url}/mcp`) => ({
  calc: { url, approval: "never", oauth: { signIn: true, tokenKey: "key-of-this-deployment", ...oauth } },
});

const targetWith = (oauth?: object, url?: string): SignInTarget => {
  const config = McpServersConfig.parse(configured(oauth, url)).calc;
  const target = config && signInTarget(REF, "calc", config);
  if (target === undefined) throw new Error("the server needs no sign-in");
  return target;
};

const start = (target = targetWith(), operator = "ann") =>
  startSignIn({ store, clock }, target, { operator, redirectUrl: REDIRECT });

const complete = (response: { state: string; code?: string; iss?: string }, operator = "ann", target = targetWith()) =>
  completeSignIn({ store, clock }, response, { operator, targetOf: () => target });

const signIn = async (oauth?: object) => {
  const target = targetWith(oauth);
  await complete(await openInBrowser((await start(target)).url), "ann", target);
};

const add = async (process = rig.start(configured())) => {
  const { tools } = await process.source.offer(ALL);
  return (await run(tools, "calc__add", { a: 1, b: 2 })).text;
};

describe("given a remote server that wants a person to sign in (T1)", () => {
  it("when no operator has, then its tools are unavailable and the reason says how to sign in", async () => {
    const { tools, unavailable } = await rig.start(configured()).source.offer(ALL);
    expect(tools).toEqual([]);
    expect(unavailable).toEqual([
      "calc: an operator must sign in at it first: run `mooring mcp sign-in calc --agent mooring`, or use the console",
    ]);
  });

  it("when an operator signs in, then Mooring registers itself, and all processes use the tokens", async () => {
    await signIn();
    expect(server.registered).toMatchObject([
      { client_name: "Mooring", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" },
    ]);
    expect(server.scopes).toEqual([["tides"]]);
    expect(await add()).toBe("3");
    expect(await add()).toBe("3");
    await signIn();
    expect(server.registered).toHaveLength(1);
  });

  it("when the store is read, then it reveals no token, no verifier and no state", async () => {
    const { url } = await start();
    await signIn();
    const everything: unknown[] = [];
    for (const name of ["tool-grants", "tool-sign-ins"]) {
      for await (const { key, value } of store.list(prefixOf(collection(name, z.unknown()))))
        everything.push(key, value);
    }
    expect(everything).toHaveLength(4);
    const text = JSON.stringify(everything);
    for (const hidden of [server.accessToken, "refresh-", new URL(url).searchParams.get("state") ?? "?", "verifier"]) {
      expect(text).not.toContain(hidden);
    }
  });

  it("when the sealing key changes, or the operator signs out, then a sign-in is needed again", async () => {
    await signIn();
    const other = rig.start(configured({ tokenKey: "another-key-of-it" }));
    expect((await other.source.offer(ALL)).unavailable[0]).toContain("must sign in");
    expect(await add()).toBe("3");
    await signOut(store, targetWith());
    const later = rig.start(configured());
    const { tools } = await later.source.offer(ALL);
    await expect(run(tools, "calc__add", { a: 1, b: 2 })).rejects.toThrow("an operator must sign in at it first");
  });

  it("when another agent or tenant has the same server, then it does not get the tokens", async () => {
    await signIn();
    const config = McpServersConfig.parse(configured()).calc;
    for (const ref of [
      { tenant: "default", agent: "other" },
      { tenant: "acme", agent: "mooring" },
    ]) {
      const target = config && signInTarget(ref, "calc", config);
      expect(target && (await signedInAt(store, target))).toBeUndefined();
    }
  });
});

describe("given a sign-in that an operator has started (T1)", () => {
  it("when its answer arrives twice, then the code is used once", async () => {
    const response = await openInBrowser((await start()).url);
    const both = await Promise.allSettled([complete(response), complete(response)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(complete(response)).rejects.toThrow("has expired or is completed already");
    expect(server.codesUsed).toBe(1);
  });

  it("when ten minutes have passed, then it cannot be completed", async () => {
    const response = await openInBrowser((await start()).url);
    clock.advance(10 * 60_000);
    await expect(complete(response)).rejects.toThrow("has expired");
    expect(server.codesUsed).toBe(0);
  });

  it("when another operator brings its answer, then it is refused and the first operator can still complete it", async () => {
    const response = await openInBrowser((await start()).url);
    await expect(complete(response, "eve")).rejects.toThrow("another operator started this sign-in");
    await complete(response);
    expect(await add()).toBe("3");
  });

  it("when the person refuses, or another server answers, then nothing is stored", async () => {
    server.consent = "refuses";
    await expect(complete(await openInBrowser((await start()).url))).rejects.toThrow("access_denied");
    server.consent = "accepts";
    const response = await openInBrowser((await start()).url);
    await expect(complete({ ...response, iss: "https://evil.example" })).rejects.toThrow(
      "another authorization server",
    );
    await expect(complete({ state: "made-up", code: "c" })).rejects.toThrow("start it again");
    expect(server.codesUsed).toBe(0);
  });

  it("when the server names an authorization server that must not be used, then no link is made", async () => {
    await expect(start(targetWith({ issuer: "https://login.example.com" }))).rejects.toThrow("issuer is https://login");
    // The metadata of this server has addresses of 127.0.0.1, which is another host.
    const elsewhere = `${server.url.replace("127.0.0.1", "localhost")}/mcp`;
    await expect(start(targetWith({}, elsewhere))).rejects.toThrow("must be https");
    expect(server.registered).toEqual([]);
  });
});

describe("given an access token that has expired (T1)", () => {
  it("when several processes call at once, then one of them uses the refresh token and all calls work", async () => {
    await signIn();
    const processes = [rig.start(configured()), rig.start(configured()), rig.start(configured())];
    for (const each of processes) expect(await add(each)).toBe("3");
    server.expire();
    expect(await Promise.all(processes.map(add))).toEqual(["3", "3", "3"]);
    expect([server.refreshes, server.reuses]).toEqual([1, 0]);
  });

  it("when its lifetime is known, then it is renewed before the server refuses it", async () => {
    server.expiresIn = 20;
    await signIn();
    server.expiresIn = 3_600;
    expect(await add()).toBe("3");
    expect(server.refreshes).toBe(1);
  });

  it("when the authorization server fails, then the call fails, and the next one works", async () => {
    await signIn();
    const process = rig.start(configured());
    expect(await add(process)).toBe("3");
    server.expire();
    server.isBroken = true;
    await expect(add(process)).rejects.toThrow("did not renew the token");
    server.isBroken = false;
    expect(await add(process)).toBe("3");
    expect(server.reuses).toBe(0);
  });

  it("when the sign-in was revoked there, then an operator must sign in again", async () => {
    await signIn();
    const process = rig.start(configured());
    expect(await add(process)).toBe("3");
    server.revoke();
    await expect(add(process)).rejects.toThrow("an operator must sign in at it first");
    await signIn();
    expect(await add()).toBe("3");
  });
});

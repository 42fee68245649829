import { describe, expect, it } from "vitest";
import type { WebConfig } from "../../../../adapters/web/config.ts";
import { signingKeyOf, signVisitorToken } from "../../../../adapters/web/identity/visitor-token.ts";
import { MemoryStore } from "../memory-store.ts";
import { OrderedClock } from "../ordered-clock.ts";
import { runningGateways } from "../running-gateways.ts";
import { enter, WebClient } from "../web-client.ts";

const start = runningGateways();
const KEY = "0123456789abcdef0123456789abcdef";
const signing = signingKeyOf(Buffer.from(KEY));
const config: Partial<Record<keyof WebConfig, unknown>> = { signingKey: KEY };

const forge = (token: string, change: (claims: Record<string, unknown>) => object): string => {
  const [version, payload, mac] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload ?? "", "base64url").toString());
  return `${version}.${Buffer.from(JSON.stringify(change(claims))).toString("base64url")}.${mac}`;
};

describe("given visitors' tokens (C5, F22, F27)", () => {
  const expiresAt = Date.now() + 3_600_000;
  const valid = signVisitorToken(signing, { visitor: "v1-a", channel: "web", expiresAt });

  it.each([
    ["expired", signVisitorToken(signing, { visitor: "v1-a", channel: "web", expiresAt: 1_000 }), "token-expired"],
    ["of another channel", signVisitorToken(signing, { visitor: "v1-a", channel: "shop", expiresAt }), "token-foreign"],
    [
      "signed with another key",
      signVisitorToken(signingKeyOf(Buffer.from("other")), { visitor: "v1-a", channel: "web", expiresAt }),
      "token-unknown",
    ],
    ["for another visitor", forge(valid, (claims) => ({ ...claims, sub: "v1-b" })), "token-invalid"],
    ["with a longer life", forge(valid, (claims) => ({ ...claims, exp: 9e12 })), "token-invalid"],
    ["with a broken signature", `${valid.slice(0, -2)}AA`, "token-invalid"],
    ["with a cut signature", valid.slice(0, -4), "token-invalid"],
    ["without a signature", `${valid.slice(0, valid.lastIndexOf("."))}.`, "token-invalid"],
    ["with more parts", `${valid}.x`, "token-invalid"],
    ["of another version", valid.replace("v1.", "v2."), "token-invalid"],
    ["that is garbage", "…", "token-invalid"],
    ["that is empty", "", "token-invalid"],
    ["that is not JSON", "v1.e30e.e30", "token-invalid"],
  ])("when a client sends one %s, then it is refused with a reason and 4002", async (_, token, code) => {
    const gateway = await start({ config });
    const client = await new WebClient(gateway).opened();
    client.send({ type: "hello", token });
    expect(await client.next("error")).toMatchObject({ code });
    expect(await client.closing()).toBe(4002);
  });

  it("when a valid token is sent, then the visitor is recognised and the token is renewed", async () => {
    const clock = new OrderedClock();
    const gateway = await start({ config, clock });
    const first = await enter(gateway);
    clock.jump(80 * 24 * 3_600_000);
    const second = await enter(gateway, { token: first.welcome.token });
    expect(second.welcome.conversation).toBe(first.welcome.conversation);
    clock.jump(20 * 24 * 3_600_000);
    const third = await enter(gateway, { token: second.welcome.token });
    expect(third.welcome.conversation).toBe(first.welcome.conversation);
  });

  it("when no key is configured, then one is created once and shared through the store", async () => {
    const store = new MemoryStore(new OrderedClock());
    const [one, two] = await Promise.all([start({ store }), start({ store })]);
    const { welcome } = await enter(one);
    const again = await enter(two, { token: welcome.token });
    expect(again.welcome.conversation).toBe(welcome.conversation);
    expect(store.writes.filter((name) => name === "web-keys")).toHaveLength(1);
  });
});

describe("given allowed and forbidden origins", () => {
  const allowed = { config: { ...config, allowedOrigins: ["https://shop.example"] } };

  it.each(["https://shop.example", "http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"])(
    "when the page is %s, then it may",
    async (origin) => {
      const gateway = await start({ ...allowed, publicUrl: "http://localhost:8080" });
      await enter(gateway, {}, { origin });
    },
  );

  it.each([
    "https://evil.example",
    "http://shop.example",
    "https://shop.example:444",
    "https://shop.example.evil.example",
    "https://sub.shop.example",
    "http://localhost:8081",
    "null",
    "",
  ])("when the page is %j, then it gets 403 before the upgrade", async (origin) => {
    const gateway = await start({ ...allowed, publicUrl: "http://localhost:8080" });
    await expect(new WebClient(gateway, { origin }).opened()).rejects.toThrow("refused with 403");
  });

  it("when the gateway is public, then loopback origins are refused", async () => {
    const gateway = await start({ ...allowed, publicUrl: "https://chat.example" });
    await enter(gateway, {}, { origin: "https://chat.example" });
    await expect(new WebClient(gateway, { origin: "http://localhost:8080" }).opened()).rejects.toThrow("403");
  });

  it("when a client without Origin offers a valid token, then it connects and hello needs no token", async () => {
    const gateway = await start(allowed);
    const token = signVisitorToken(signing, { visitor: "v1-cli", channel: "web", expiresAt: Date.now() + 3_600_000 });
    const protocols = ["mooring.v1", `token.${token}`];
    const { client, welcome } = await enter(gateway, {}, { protocols, origin: undefined });
    expect(welcome.conversation).toBe("v1-cli");
    expect(client.socket.protocol).toBe("mooring.v1");
  });

  it.each([[["mooring.v1"]], [["mooring.v1", "token.v1.e30.e30"]], [["mooring.v1", "token."]]])(
    "when a client without Origin offers %j, then it gets 403",
    async (protocols) => {
      const gateway = await start(allowed);
      const client = new WebClient(gateway, { protocols, origin: undefined });
      await expect(client.opened()).rejects.toThrow("refused with 403");
    },
  );

  it("when another subprotocol is offered, then it gets 400", async () => {
    const gateway = await start(allowed);
    await expect(new WebClient(gateway, { protocols: ["mooring.v2"] }).opened()).rejects.toThrow("refused with 400");
  });
});

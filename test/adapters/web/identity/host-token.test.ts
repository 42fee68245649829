import { describe, expect, it } from "vitest";
import { OrderedClock } from "../ordered-clock.ts";
import { runningGateways } from "../running-gateways.ts";
import { enter, WebClient } from "../web-client.ts";
import { base64Json, hostToken, IDENTITY_KEY } from "./host-jwt.ts";

const start = runningGateways();
const config = { identityKey: IDENTITY_KEY };

const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;
const ada = (changes: object = {}) => ({ sub: "ada@example.com", name: "Ada", exp: secondsFromNow(3_600), ...changes });

describe("given a host page that signs its visitor's identity (C5)", () => {
  it("when its token is sent, then the visitor has that account and one conversation on every device", async () => {
    const gateway = await start({ config });
    const one = await enter(gateway, { token: hostToken(ada()) });
    const two = await enter(gateway, { token: hostToken(ada({ aud: ["web", "other"] })) });
    expect(one.welcome.conversation).toBe("ada@example.com");
    one.client.send({ type: "message", id: "m:1", text: "hello" });
    expect(await two.client.next("said")).toMatchObject({ id: "m:1" });
    expect(gateway.accepted[0]).toMatchObject({
      id: "web:ada%40example.com:m:1",
      account: { id: "ada@example.com", name: "Ada" },
    });
  });

  it.each([
    ["signed with another key", hostToken(ada(), { key: "some other key, which is as long as that" }), "token-invalid"],
    ["not signed", `${base64Json({ alg: "none" })}.${base64Json(ada())}.`, "token-invalid"],
    ["signed by another method", hostToken(ada(), { header: { alg: "HS512" } }), "token-invalid"],
    ["without an end", hostToken({ sub: "ada" }), "token-invalid"],
    ["without a subject", hostToken(ada({ sub: "" })), "token-invalid"],
    ["for an anonymous visitor", hostToken(ada({ sub: "vm9x3k2a-7d" })), "token-invalid"],
    ["that does not hold yet", hostToken(ada({ nbf: secondsFromNow(600) })), "token-invalid"],
    ["for another channel", hostToken(ada({ aud: "shop" })), "token-foreign"],
    ["that has expired", hostToken(ada({ exp: secondsFromNow(-61) })), "token-expired"],
  ])("when it is one %s, then it is refused with a reason and 4002", async (_, token, code) => {
    const gateway = await start({ config });
    const client = await new WebClient(gateway).opened();
    client.send({ type: "hello", token });
    expect(await client.next("error")).toMatchObject({ code });
    expect(await client.closing()).toBe(4002);
  });

  it("when no identity key is configured, then host tokens are refused", async () => {
    const client = await new WebClient(await start()).opened();
    client.send({ type: "hello", token: hostToken(ada()) });
    expect(await client.next("error")).toMatchObject({ code: "token-invalid" });
  });

  it("when the token expires while the chat is open, then the socket is closed, and no renewal outlives it", async () => {
    const clock = new OrderedClock();
    const gateway = await start({ config, clock });
    const exp = Math.floor(clock.now() / 1_000) + 600;
    const { client, welcome } = await enter(gateway, { token: hostToken(ada({ exp })) });
    clock.jump(11 * 60_000);
    await clock.advance(1_000);
    expect(await client.next("error")).toMatchObject({ code: "token-expired" });
    expect(await client.closing()).toBe(4002);
    const again = await new WebClient(gateway).opened();
    again.send({ type: "hello", token: welcome.token });
    expect(await again.next("error")).toMatchObject({ code: "token-expired" });
    const renewed = await enter(gateway, { token: hostToken(ada({ exp: exp + 3_600 })) });
    expect(renewed.welcome.conversation).toBe("ada@example.com");
  });

  it("when a client reconnects with the token of its welcome, then it keeps its name", async () => {
    const gateway = await start({ config });
    const { welcome } = await enter(gateway, { token: hostToken(ada()) });
    const { client } = await enter(gateway, { token: welcome.token });
    client.send({ type: "message", id: "m1", text: "hello" });
    await client.next("accepted");
    expect(gateway.accepted[0]?.account).toMatchObject({ id: "ada@example.com", name: "Ada" });
  });
});

import { describe, expect, it } from "vitest";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { DiscordUnderTest } from "./discord-under-test.ts";

const test = new DiscordUnderTest();
const happened = (what: string, times = 1) =>
  test.discord.gateway.events.until((events) => events.filter((event) => event === what).length >= times);
const eventsSoFar = () =>
  test.discord.gateway.events.items.filter((event) => event !== "connected" && event !== "closed");

describe("given a connection that is interrupted (C2)", () => {
  it.each([
    ["the network drops it", () => test.discord.gateway.drop()],
    ["Discord asks to reconnect", () => test.discord.gateway.askToReconnect()],
    ["Discord closes it with an error", () => test.discord.gateway.close(4_000)],
  ])("when %s, then the session is resumed, and messages sent meanwhile arrive once", async (_, interrupt) => {
    await test.start();
    await test.receivedInPrivate("before");
    interrupt();
    test.discord.say({ person: "ann", in: test.dm, text: "meanwhile" });
    await happened("resumed");
    await test.receivedInPrivate("after");
    expect(test.texts).toEqual(["before", "meanwhile", "after"]);
    expect(eventsSoFar()).toEqual(["identified", "resumed"]);
    expect(test.adapter.health()).toEqual({ ok: true });
  });

  it("when heartbeats are not acknowledged, then the connection is closed and resumed", async () => {
    test.discord.gateway.heartbeatIntervalMs = 40;
    await test.start();
    test.discord.gateway.acknowledgesHeartbeats = false;
    await happened("resumed");
    test.discord.gateway.acknowledgesHeartbeats = true;
    await test.receivedInPrivate("alive");
  });

  it("when Discord requests a heartbeat, then the client sends one and nothing else happens", async () => {
    await test.start();
    test.discord.gateway.askForHeartbeat();
    await test.receivedInPrivate("alive");
    expect(eventsSoFar()).toEqual(["identified"]);
  });

  it.each([
    ["is declared invalid", () => test.discord.gateway.invalidate(false)],
    ["has expired when it is resumed", () => lost()],
  ])(
    "when the session %s, then a new one begins, and missed messages are fetched, once and in order",
    async (_, interrupt) => {
      await test.start();
      await test.receivedInPrivate("before");
      test.discord.say({ person: "ann", in: test.room, text: "in the room", mention: true });
      await test.inbox.accepted.count(2);
      interrupt();
      for (const text of ["one", "two"]) test.discord.write({ person: "ann", in: test.dm, text });
      test.discord.write({ person: "bob", in: test.room, text: "three", mention: true });
      test.discord.write({ person: "bob", in: test.room, text: "among ourselves" });
      await happened("identified", 2);
      await test.receivedInPrivate("after");
      await test.inbox.accepted.until((items) => items.some(({ text }) => text === "three"));
      expect(test.texts.filter((text) => text !== "three")).toEqual(["before", "in the room", "one", "two", "after"]);
      expect(test.texts.filter((text) => text === "three")).toHaveLength(1);
      const fetched = test.discord.rest.calls.items.filter(
        ({ method, path }) => method === "GET" && /messages$/.test(path),
      );
      expect(fetched.map(({ path }) => path).sort()).toEqual(
        [test.dm, test.room].map(({ id }) => `/channels/${id}/messages`).sort(),
      );
    },
  );

  it.each([
    ["a while", 60_000, "resumed"],
    ["longer", 0, "identified"],
  ])(
    "when Discord is unreachable for %s, then the connection is retried with delays",
    async (_, resumeWithinMs, outcome) => {
      await test.start({ timing: { firstPauseMs: 30, maxPauseMs: 60, reportAfterMs: 0, resumeWithinMs } });
      await test.receivedInPrivate("before");
      test.discord.gateway.acceptsConnections = false;
      test.discord.gateway.drop();
      await happened("turned away", 3);
      expect(test.adapter.health()).toMatchObject({ ok: false, reason: expect.stringContaining("no connection") });
      test.discord.say({ person: "ann", in: test.dm, text: "meanwhile" });
      test.discord.gateway.acceptsConnections = true;
      await test.inbox.accepted.until(() => test.texts.includes("meanwhile"));
      expect(test.adapter.health()).toEqual({ ok: true });
      expect(eventsSoFar().filter((event) => event !== "turned away")).toEqual(["identified", outcome]);
    },
  );

  it("when a person writes for the first time during an interruption, then the message arrives", async () => {
    await test.start({ timing: { firstPauseMs: 30, maxPauseMs: 60 } });
    test.discord.gateway.acceptsConnections = false;
    test.discord.gateway.drop();
    await happened("turned away", 3);
    test.discord.say({ person: "ann", in: test.dm, text: "hello" });
    test.discord.gateway.acceptsConnections = true;
    await test.inbox.accepted.until(() => test.texts.includes("hello"));
  });

  const lost = () => {
    test.discord.gateway.forgetSessions();
    test.discord.gateway.drop();
  };
});

describe("given a process that ends, and another that takes over", () => {
  it.each([
    ["is stopped", () => test.adapter.stop()],
    ["crashes", () => test.crash()],
  ])("when it %s, then the next one fetches the messages sent meanwhile", async (_, end) => {
    await test.start();
    await test.receivedInPrivate("before");
    await end();
    for (const text of ["one", "two"]) test.discord.write({ person: "ann", in: test.dm, text });
    await test.startAgain();
    await test.receivedInPrivate("after");
    // After a crash the last stored message may arrive again; core drops the duplicate.
    const ids = new Set(test.inbox.accepted.items.map(({ id }) => id));
    const texts = [...ids].map((id) => test.inbox.accepted.items.find((item) => item.id === id)?.text);
    expect(texts).toEqual(["before", "one", "two", "after"]);
  });

  it("when a message could not be stored before the end, then the next one offers it again", async () => {
    await test.start();
    await test.receivedInPrivate("before");
    const store = test.inbox.holdNext();
    test.discord.say({ person: "ann", in: test.dm, text: "on its way" });
    await test.inbox.offered.count(2);
    await test.crash();
    await test.startAgain();
    await test.inbox.accepted.until(() => test.texts.includes("on its way"));
    store();
  });

  it("when there are more missed messages than one page of Discord, then all are fetched, in order", async () => {
    await test.start();
    await test.receivedInPrivate("before");
    await test.adapter.stop();
    const texts = Array.from({ length: 230 }, (_, index) => `message ${index}`);
    for (const text of texts) test.discord.write({ person: "ann", in: test.dm, text });
    await test.startAgain();
    await test.inbox.accepted.count(231);
    expect(test.texts).toEqual(["before", ...texts]);
  });

  it("when the first fetch fails, then it is retried, and newer messages wait", async () => {
    await test.start();
    await test.receivedInPrivate("before");
    await test.adapter.stop();
    test.discord.write({ person: "ann", in: test.dm, text: "meanwhile" });
    const faults = ["rate-limited", "unavailable", "cut", "garbage"] as const;
    const left = [...faults];
    test.discord.rest.faultIn = ({ method, path }) =>
      method === "GET" && path.endsWith("/messages") ? left.shift() : undefined;
    await test.startAgain();
    await test.receivedInPrivate("after");
    expect(test.texts).toEqual(["before", "meanwhile", "after"]);
  });

  it("when a conversation no longer exists, then it is forgotten, and the others are fetched", async () => {
    await test.start();
    await test.receivedInPrivate("before");
    test.discord.say({ person: "ann", in: test.room, text: "in the room", mention: true });
    await test.inbox.accepted.count(2);
    await test.adapter.stop();
    test.discord.world.channels.delete(test.room.id);
    test.discord.write({ person: "ann", in: test.dm, text: "meanwhile" });
    await test.startAgain();
    await test.inbox.accepted.count(3);
    await test.adapter.stop();
    const asked = () => test.discord.rest.calls.items.filter(({ path }) => path.includes(test.room.id)).length;
    const before = asked();
    await test.startAgain();
    await test.receivedInPrivate("after");
    expect(asked()).toBe(before);
  });
});

describe("given a start that cannot succeed", () => {
  it.each([
    ["the token is wrong", () => (test.discord.token = "another"), /refuses the bot token.*Reset Token.*4004/],
    ["the intents are not allowed", () => (test.discord.gateway.allowsMessageContent = false), /Message Content.*4014/],
    ["the API is down", () => (test.discord.rest.faultIn = () => "unavailable"), /cannot be reached/],
    ["the API hangs up", () => (test.discord.rest.faultIn = () => "cut"), /cannot be reached/],
    ["the gateway is silent", () => (test.discord.gateway.saysHello = false), /did not answer within/],
    ["READY is nonsense", () => (test.discord.gateway.ready = () => ({})), /did not answer within|connection broke/],
  ])("when %s, then it rejects with the reason, and no handle stays open", async (_, spoil, reason) => {
    test.make({ access: { guilds: "*", mentionOnly: false }, timing: { loginWithinMs: 300 } });
    spoil();
    await expect(test.adapter.start(test.inbox)).rejects.toThrow(reason);
    await test.discord.gateway.events.until(() => test.discord.gateway.connections === 0);
  });

  it("when the cause is fixed, then the same adapter starts", async () => {
    test.make();
    test.discord.rest.faultIn = () => "unavailable";
    await expect(test.adapter.start(test.inbox)).rejects.toThrow();
    test.discord.rest.recover();
    await test.adapter.start(test.inbox);
    await test.receivedInPrivate("hello");
  });
});

describe("given a stop at a bad moment", () => {
  it.each([
    ["waits for the API", () => (test.discord.rest.faultIn = () => "hanging"), "rest"],
    ["waits for HELLO", () => (test.discord.gateway.saysHello = false), "connected"],
    ["waits for READY", () => (test.discord.gateway.saysReady = false), "connected"],
  ])("when it %s, then it stops in time, and never connects again", async (_, spoil, moment) => {
    test.make({ timing: { loginWithinMs: 600_000 } });
    spoil();
    const starting = test.adapter.start(test.inbox).catch((error: unknown) => error);
    if (moment === "rest") await test.discord.rest.calls.count(1);
    else await happened("connected");
    await test.adapter.stop();
    expect(await starting).toMatchObject({ code: "stopped" });
    test.discord.rest.recover();
    await test.discord.gateway.events.until(() => test.discord.gateway.connections === 0);
  });

  it("when it is being resumed, then it stops, and never connects again", async () => {
    await test.start();
    test.discord.gateway.saysHello = false;
    test.discord.gateway.drop();
    await happened("connected", 2);
    await test.adapter.stop();
    await test.discord.gateway.events.until(() => test.discord.gateway.connections === 0);
    const connected = test.discord.gateway.events.items.length;
    test.discord.gateway.saysHello = true;
    await test.startAgain();
    await test.receivedInPrivate("back");
    expect(test.discord.gateway.events.items.slice(connected)).toEqual(["connected", "resumed"]);
  });
});

describe("given a connection that Discord ends permanently", () => {
  it.each([
    [4_004, /refuses the bot token/],
    [4_014, /Message Content Intent/],
    [4_011, /too many servers/],
  ])(
    "when it closes with %i, then health reports the reason, and the channel reconnects once it is fixed",
    async (code, reason) => {
      await test.start({ timing: { firstPauseMs: 20, maxPauseMs: 40, loginWithinMs: 2_000 } });
      await test.receivedInPrivate("before");
      test.discord.rest.faultIn = ({ path }) => (path === "/gateway/bot" ? "unavailable" : undefined);
      test.discord.gateway.close(code);
      await test.logger.lines.until((lines) => lines.some(({ fields }) => reason.test(String(fields.reason))));
      expect(test.adapter.health().ok).toBe(false);
      test.discord.write({ person: "ann", in: test.dm, text: "meanwhile" });
      test.discord.rest.recover();
      await test.inbox.accepted.until(() => test.texts.includes("meanwhile"));
      expect(test.adapter.health()).toEqual({ ok: true });
      expect(test.discord.gateway.connections).toBe(1);
    },
  );

  it("when the channel stops meanwhile, then it does not reconnect", async () => {
    await test.start({ timing: { firstPauseMs: 20, maxPauseMs: 40 } });
    test.discord.gateway.close(4_004);
    await test.logger.lines.until((lines) => lines.some(({ message }) => message === "Discord ended the connection"));
    await test.adapter.stop();
    await test.discord.gateway.events.until(() => test.discord.gateway.connections === 0);
    expect(test.adapter.health()).toEqual({ ok: false, reason: "not connected" });
  });
});

describe("given invalid data on the gateway connection", () => {
  it.each([
    ["invalid JSON", "{"],
    ["null", "null"],
    ["a number", "7"],
    ["an unknown opcode", '{"op":99,"d":{}}'],
    ["an unknown event", '{"op":0,"s":2,"t":"SOMETHING_NEW","d":{}}'],
    ["an event without a name", '{"op":0,"s":2,"d":{}}'],
    ["a malformed message", '{"op":0,"s":2,"t":"MESSAGE_CREATE","d":null}'],
    ["a message that is a list", '{"op":0,"s":2,"t":"MESSAGE_CREATE","d":[1]}'],
    ["a malformed server", '{"op":0,"s":2,"t":"GUILD_CREATE","d":null}'],
    ["a server with malformed channels", '{"op":0,"s":2,"t":"GUILD_CREATE","d":{"id":"1","channels":[null,7,{}]}}'],
    ["a malformed interaction", '{"op":0,"s":2,"t":"INTERACTION_CREATE","d":{"id":7}}'],
    ["a malformed thread", '{"op":0,"s":2,"t":"THREAD_CREATE","d":"x"}'],
    ["an update of an unknown channel", '{"op":0,"s":2,"t":"MESSAGE_UPDATE","d":{"id":"1"}}'],
    ["a removal of an unknown channel", '{"op":0,"s":2,"t":"MESSAGE_DELETE_BULK","d":{}}'],
    ["an invalid session without data", '{"op":9}'],
  ])("when there is %s, then the next message still arrives (F13)", async (_, frame) => {
    await test.start();
    test.discord.gateway.sendRaw(frame);
    await test.receivedInPrivate("still here");
    expect(test.texts).toEqual(["still here"]);
  });

  it("when the bot is removed from a server during a turn, then the delivery fails with that reason", async () => {
    await test.start();
    test.discord.say({ person: "ann", in: test.room, text: "hello", mention: true });
    await test.inbox.accepted.count(1);
    test.discord.removeBotFrom(test.guild.id);
    await test.receivedInPrivate("still here");
    await expect(test.adapter.deliver(sampleDelivery("r1", test.inRoom, "late"))).rejects.toMatchObject({
      reason: "forbidden",
    });
    await test.adapter.stop();
    const asked = test.discord.rest.calls.items.length;
    await test.startAgain();
    await test.receivedInPrivate("after");
    const paths = test.discord.rest.calls.items.slice(asked).map(({ path }) => path);
    expect(paths.filter((path) => path.includes(test.room.id))).toEqual([]);
  });
});

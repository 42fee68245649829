import { beforeEach, describe, expect, it } from "vitest";
import type { FakeChannel } from "../../fakes/discord/world.ts";
import { DiscordUnderTest } from "./discord-under-test.ts";

const test = new DiscordUnderTest();
const eventsSoFar = () =>
  test.discord.gateway.events.items.filter((event) => event !== "connected" && event !== "closed");
const commandsAsked = () => test.discord.rest.calls.items.filter(({ path }) => path.endsWith("/commands")).length;
/** The first message arrives after all redelivered events, so the second marks the end of the catch-up. */
const receivedSince = async (text: string) => {
  await test.receivedInPrivate("after");
  await test.receivedInPrivate("the end");
  return test.texts.slice(test.texts.indexOf(text) + 1).filter((each) => each !== "after" && each !== "the end");
};
const arrived = (...texts: string[]) =>
  test.inbox.accepted.until((items) => texts.every((text) => items.some((item) => item.text === text)));

/** A conversation without messages. */
let bobs: FakeChannel;
beforeEach(() => {
  const { world } = test.discord;
  bobs = world.privateChannel(world.person("bob"));
});
const bobSaysForTheFirstTime = () => {
  test.discord.say({ person: "bob", in: bobs, text: "in private" });
  test.discord.say({ person: "bob", in: test.room, text: "in the room", mention: true });
};

describe("given a connection that moves to another process, and new conversations (C2, F1, F30)", () => {
  it.each([
    ["is stopped", () => test.adapter.stop()],
    ["crashes", () => test.crash()],
  ])("when its process %s, then the next one receives the messages sent meanwhile, once", async (_, end) => {
    await test.start();
    await end();
    bobSaysForTheFirstTime();
    await test.startAgain();
    await arrived("in private", "in the room");
    await test.receivedInPrivate("after");
    expect([...test.texts].sort()).toEqual(["after", "in private", "in the room"]);
    expect(eventsSoFar()).toEqual(["identified", "resumed"]);
  });

  it("when the session is not stored yet, then no commands are registered", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    test.store.before = (what, collection) => (what === "put" && collection === "discord-sessions" ? held : undefined);
    await test.start();
    await test.receivedInPrivate("already received");
    expect(commandsAsked()).toBe(0);
    release();
    await test.discord.rest.calls.until(() => commandsAsked() > 0);
  });

  it("when it moves repeatedly, then each process receives the messages since the previous one", async () => {
    await test.start();
    for (const name of ["cat", "dan", "eve"]) {
      await test.adapter.stop();
      const { world } = test.discord;
      test.discord.say({ person: name, in: world.privateChannel(world.person(name)), text: `it is ${name}` });
      await test.startAgain();
      await arrived(`it is ${name}`);
    }
    expect(test.texts).toEqual(["it is cat", "it is dan", "it is eve"]);
    expect(eventsSoFar()).toEqual(["identified", "resumed", "resumed", "resumed"]);
  });

  it("when its process stops before handling a message, then the next one handles it", async () => {
    await test.start({ access: { guilds: [test.guild.id] } });
    test.discord.rest.faultIn = ({ path }) => (path.includes("/members/") ? "hanging" : undefined);
    test.discord.say({ person: "bob", in: bobs, text: "in private" });
    await test.discord.rest.calls.until((calls) => calls.some(({ path }) => path.includes("/members/")));
    await test.adapter.stop();
    expect(test.texts).toEqual([]);
    test.discord.rest.recover();
    await test.startAgain();
    await arrived("in private");
  });

  it("when its process hangs while handling a message, then the next one handles it (F7)", async () => {
    await test.start({ access: { guilds: [test.guild.id] } });
    let asked = 0;
    test.discord.rest.faultIn = ({ path }) => (path.includes("/members/") && asked++ === 0 ? "hanging" : undefined);
    test.discord.say({ person: "bob", in: bobs, text: "in private" });
    await test.discord.rest.calls.until((calls) => calls.some(({ path }) => path.includes("/members/")));
    await test.startAgain();
    await arrived("in private");
  });

  it("when a process handled messages for a while and crashes, then the next one does not receive them again", async () => {
    const saves = () => test.store.writes.filter((collection) => collection === "discord-sessions").length;
    await test.start({ timing: { saveEveryMs: 20 } });
    await test.receivedInPrivate("before");
    const before = saves();
    await expect.poll(saves).toBeGreaterThan(before);
    await test.crash();
    await test.startAgain();
    expect(await receivedSince("before")).toEqual([]);
  });

  it("when a replaced process stops late, then its stored position is ignored", async () => {
    const first = await test.start();
    await test.startAgain();
    await test.receivedInPrivate("before");
    await test.adapter.stop();
    await first.stop();
    await test.startAgain();
    expect(await receivedSince("before")).toEqual([]);
  });

  it("when the session has ended meanwhile, then a new one begins, and known conversations are fetched", async () => {
    await test.start();
    await test.receivedInPrivate("before");
    await test.adapter.stop();
    test.discord.gateway.forgetSessions();
    test.discord.write({ person: "ann", in: test.dm, text: "meanwhile" });
    await test.startAgain();
    await arrived("meanwhile");
    await test.receivedInPrivate("after");
    expect(test.texts).toEqual(["before", "meanwhile", "after"]);
    expect(eventsSoFar()).toEqual(["identified", "resume refused", "identified"]);
  });

  it("when Discord does not answer the resume, then the next start begins a new session", async () => {
    await test.start({ timing: { loginWithinMs: 300 } });
    await test.adapter.stop();
    test.discord.gateway.saysHello = false;
    await expect(test.startAgain()).rejects.toThrow(/did not answer within/);
    test.discord.gateway.saysHello = true;
    await test.startAgain();
    await test.receivedInPrivate("after");
    expect(eventsSoFar()).toEqual(["identified", "identified"]);
  });

  it("when Discord is unreachable at first, then the session is resumed later", async () => {
    await test.start();
    await test.adapter.stop();
    test.discord.rest.faultIn = () => "unavailable";
    await expect(test.startAgain()).rejects.toThrow(/cannot be reached/);
    bobSaysForTheFirstTime();
    test.discord.rest.recover();
    await test.startAgain();
    await arrived("in private", "in the room");
  });

  it("when the next process needs other intents, then it begins a new session", async () => {
    await test.start();
    await test.adapter.stop();
    await test.start({ access: { guilds: "*", mentionOnly: false } });
    test.discord.say({ person: "bob", in: test.room, text: "among ourselves" });
    await arrived("among ourselves");
    expect(eventsSoFar()).toEqual(["identified", "identified"]);
  });

  it("when the stored session names a server outside Discord, then the token is not sent there", async () => {
    const { gateway } = test.discord;
    gateway.ready = (ready) => ({ ...ready, resume_gateway_url: gateway.url.replace("127.0.0.1", "localhost") });
    await test.start();
    await test.adapter.stop();
    await test.startAgain();
    expect(eventsSoFar()).toEqual(["identified", "identified"]);
  });
});

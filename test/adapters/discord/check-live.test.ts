import { describe, expect, it } from "vitest";
import { DiscordUnderTest } from "./discord-under-test.ts";

const test = new DiscordUnderTest();
const findings = (access: object = { guilds: [test.guild.id] }) => test.make({ access }).checkLive();

describe("given mooring check --live (U2)", () => {
  it("when the configuration is correct, then there are no findings, nothing is sent and no connection is opened", async () => {
    expect(await findings()).toEqual([]);
    expect(test.discord.rest.calls.items.every(({ method }) => method === "GET")).toBe(true);
    expect(test.discord.gateway.events.items).toEqual([]);
  });

  it("when the token is wrong, then the finding says where to get a new one", async () => {
    test.discord.token = "another";
    const adapter = test.make();
    test.discord.token = "the right one";
    expect(await adapter.checkLive()).toEqual([expect.stringMatching(/refuses the bot token.*developer portal/)]);
  });

  it("when the bot is in no server, or not in a configured one, then the finding has an invite link", async () => {
    const link = `https://discord.com/oauth2/authorize?client_id=${test.discord.world.applicationId}`;
    const wanted = expect.stringContaining(`${link}&scope=bot+applications.commands&permissions=274877991936`);
    expect(await findings({ guilds: ["999999999999999999"] })).toEqual([wanted]);
    test.discord.world.guilds.clear();
    expect(await findings({ guilds: "*" })).toEqual([wanted]);
  });

  it("when permissions are missing, then the finding has Discord's names for them", async () => {
    test.guild.permissions = "1024";
    const [finding] = await findings();
    expect(finding).toMatch(
      /harbour.*lacks Send Messages, Send Messages in Threads, Embed Links, Read Message History/,
    );
    test.guild.permissions = "8";
    expect(await findings()).toEqual([]);
  });

  it("when mentionOnly is false and the intent is missing, then there is a finding; with mentionOnly there is none", async () => {
    test.discord.applicationFlags = 0;
    expect(await findings({ guilds: "*", mentionOnly: false })).toEqual([
      expect.stringContaining("Message Content Intent"),
    ]);
    expect(await findings({ guilds: "*" })).toEqual([]);
  });

  it("when slash commands go to another endpoint, then the finding has the remedy", async () => {
    test.discord.interactionsUrl = "https://elsewhere.example/interactions";
    expect(await findings()).toEqual([expect.stringContaining("Interactions Endpoint URL")]);
  });

  it("when Discord is unreachable, then that is the finding", async () => {
    test.discord.rest.faultIn = () => "unavailable";
    expect(await findings()).toEqual([expect.stringContaining("503")]);
  });
});

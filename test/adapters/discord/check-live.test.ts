import { describe, expect, it } from "vitest";
import { DiscordUnderTest } from "./discord-under-test.ts";

const test = new DiscordUnderTest();
const findings = (access: object = { guilds: [test.guild.id] }) => test.make({ access }).checkLive();

describe("given mooring check --live (U2)", () => {
  it("when all is well, then there is nothing to say, nothing is sent and nothing is connected", async () => {
    expect(await findings()).toEqual([]);
    expect(test.discord.rest.calls.items.every(({ method }) => method === "GET")).toBe(true);
    expect(test.discord.gateway.events.items).toEqual([]);
  });

  it("when the token is wrong, then it says where to get another", async () => {
    test.discord.token = "another";
    const adapter = test.make();
    test.discord.token = "the right one";
    expect(await adapter.checkLive()).toEqual([expect.stringMatching(/refuses the bot token.*developer portal/)]);
  });

  it("when the bot is in no server, or not in a named one, then there is a link that invites it", async () => {
    const link = `https://discord.com/oauth2/authorize?client_id=${test.discord.world.applicationId}`;
    const wanted = expect.stringContaining(`${link}&scope=bot+applications.commands&permissions=274877991936`);
    expect(await findings({ guilds: ["999999999999999999"] })).toEqual([wanted]);
    test.discord.world.guilds.clear();
    expect(await findings({ guilds: "*" })).toEqual([wanted]);
  });

  it("when permissions are missing, then they are named by their names", async () => {
    test.guild.permissions = "1024";
    const [finding] = await findings();
    expect(finding).toMatch(
      /harbour.*lacks Send Messages, Send Messages in Threads, Embed Links, Read Message History/,
    );
    test.guild.permissions = "8";
    expect(await findings()).toEqual([]);
  });

  it("when everything is to be heard without the intent, then it says so, and otherwise it does not matter", async () => {
    test.discord.applicationFlags = 0;
    expect(await findings({ guilds: "*", mentionOnly: false })).toEqual([
      expect.stringContaining("Message Content Intent"),
    ]);
    expect(await findings({ guilds: "*" })).toEqual([]);
  });

  it("when slash commands go elsewhere, then it says how to get them back", async () => {
    test.discord.interactionsUrl = "https://elsewhere.example/interactions";
    expect(await findings()).toEqual([expect.stringContaining("Interactions Endpoint URL")]);
  });

  it("when Discord cannot be reached, then that is the finding", async () => {
    test.discord.rest.faultIn = () => "unavailable";
    expect(await findings()).toEqual([expect.stringContaining("503")]);
  });
});

import fc from "fast-check";
import { describe, it } from "vitest";
import { DiscordUnderTest } from "../adapters/discord/discord-under-test.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutated, mutatedText } from "./mutated.ts";

const test = new DiscordUnderTest();

/** A sample of each event that the adapter receives while it is connected. */
const dispatches = () => {
  const { world } = test.discord;
  const person = world.person("ann");
  const { pings: _, ...said } = test.discord.write({ person: "ann", in: test.room, text: "hello", mention: true });
  const { recipient: __, refuses: ___, ...channel } = test.room;
  const interaction = {
    id: "1",
    token: "t",
    version: 1,
    application_id: world.applicationId,
    channel_id: test.room.id,
    channel,
    locale: "en-GB",
    guild_id: test.guild.id,
    member: { user: person, nick: null },
  };
  return [
    ["MESSAGE_CREATE", said],
    ["MESSAGE_DELETE", { id: said.id, channel_id: said.channel_id, guild_id: test.guild.id }],
    ["INTERACTION_CREATE", { ...interaction, type: 2, data: { name: "help", type: 1, options: [] } }],
    [
      "INTERACTION_CREATE",
      { ...interaction, type: 3, data: { custom_id: "x", component_type: 2 }, message: { id: "2" } },
    ],
    ["GUILD_CREATE", { id: test.guild.id, name: "harbour", channels: [channel], threads: [] }],
    ["CHANNEL_UPDATE", channel],
    ["THREAD_CREATE", { ...channel, type: 11, parent_id: test.room.id }],
  ] as const;
};

describe("given malformed events from Discord (F19)", () => {
  it("when they arrive, then the connection stays open or is opened again, and the next valid message is received", async () => {
    await test.start({ access: { guilds: "*", accounts: "*" } });
    const events = dispatches();
    const frames = events.map(([t, d]) => ({ op: 0, s: 7, t, d }));
    const anything = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...events).chain(([t, d]) => mutated([d]).map((data) => ({ t, data }))) },
      { weight: 1, arbitrary: mutatedText(frames).map((raw) => ({ raw })) },
    );
    const harm = watchHarm();
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(anything, async (event) => {
        if ("raw" in event) test.discord.gateway.sendRaw(event.raw);
        else test.discord.gateway.dispatch(event.t, event.data);
        await test.receivedInPrivate(`still ${++cases}`);
      }),
      fuzzRuns(200),
    );
    harm.expectNone();
  });
});

import { setImmediate as nextPass } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FakeDiscord } from "../../fakes/discord/fake-discord.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";
import { makeDiscordAdapter } from "./make-discord-adapter.ts";

/** The handles that keep the process alive, of the kinds that an adapter creates. */
const handles = () => process.getActiveResourcesInfo().filter((kind) => /^(TCP|TLS|GetAddr|Timeout)/.test(kind)).length;

const connected = (discord: FakeDiscord, times: number) =>
  discord.gateway.events.until((events) => events.filter((event) => event === "connected").length >= times);

/** A start and a stop of an adapter; the state at the stop differs. */
const endings: readonly ((discord: FakeDiscord) => Promise<void> | void)[] = [
  () => undefined,
  (discord) => discord.gateway.drop(),
  async (discord) => {
    discord.gateway.saysHello = false;
    discord.gateway.drop();
    await connected(discord, 2);
  },
  (discord) => discord.gateway.close(4_004),
];

describe("given an adapter that is started and stopped 20 times, in every state", () => {
  it("then no handle is left open", async () => {
    const before = handles();
    for (let life = 0; life < 20; life++) {
      const discord = await FakeDiscord.start();
      const dm = discord.world.privateChannel(discord.world.person("ann"));
      const inbox = new TestInbox();
      const adapter = makeDiscordAdapter(discord);
      await adapter.start(inbox);
      discord.say({ person: "ann", in: dm, text: "hello" });
      await inbox.accepted.count(1);
      await endings[life % endings.length]?.(discord);
      await adapter.stop();
      await discord.stop();
    }
    // Closed handles disappear after some passes of the event loop; an open one makes this test time out.
    while (handles() > before) await nextPass();
    expect(handles()).toBeLessThanOrEqual(before);
  });
});

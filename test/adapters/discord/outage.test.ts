import { describe, expect, it } from "vitest";
import { SwitchedWrites } from "../../fakes/switched-writes.ts";
import { DiscordUnderTest } from "./discord-under-test.ts";

const test = new DiscordUnderTest();

describe("given a backbone that cannot store (F35)", () => {
  it("when people write, then their messages wait and are stored in order once writes work, and buttons are refused at once", async () => {
    const writes = new SwitchedWrites();
    await test.start({ writes });
    const idle = writes.watchers;
    writes.fail();
    for (const text of ["one", "two", "three"]) test.discord.say({ person: "ann", in: test.dm, text });
    await expect.poll(() => writes.watchers).toBe(idle + 1);
    const interaction = test.discord.command("ann", test.dm, "help");
    await test.discord.interactions.changes.until(() => interaction.acknowledgedAt !== undefined);
    expect(interaction.answers[0]?.content).toContain("try again");
    expect(test.inbox.accepted.items).toEqual([]);
    writes.work();
    const accepted = await test.inbox.accepted.count(3);
    expect(accepted.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  });
});

import { describe, expect, it } from "vitest";
import { commandMenu, commands } from "../../../core/commands/commands.ts";

/** https://docs.discord.com/developers/interactions/application-commands#application-command-object */
const MAX_TEXT_CHARS = 100;
const NAME = /^[a-z]{1,32}$/;

describe("given the menu of commands for platforms (I3)", () => {
  it("then it has exactly the commands that `help` lists, in its order", () => {
    const listed = commands.filter(({ summary }) => summary !== undefined);
    expect(commandMenu.map(({ name }) => name)).toEqual(listed.map(({ name }) => name));
    expect(commandMenu.map(({ privately }) => privately)).toEqual(listed.map(({ privately }) => privately));
  });

  it.each(commandMenu.map((command) => [command.name, command] as const))(
    "then %s fits the limits of Discord",
    (_, { name, description, argument = { name: "none", description: "none" } }) => {
      for (const id of [name, argument.name]) expect(id).toMatch(NAME);
      for (const text of [description, argument.description]) {
        expect(text.length).toBeGreaterThan(0);
        expect(text.length).toBeLessThanOrEqual(MAX_TEXT_CHARS);
      }
    },
  );
});

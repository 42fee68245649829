import { describe, expect, it } from "vitest";
import { commandMenu, commands } from "../../../core/commands/commands.ts";
import { english } from "../../../core/contract/texts/texts.ts";

/** https://docs.discord.com/developers/interactions/application-commands#application-command-object */
const MAX_TEXT_CHARS = 100;
const NAME = /^[a-z]{1,32}$/;

describe("given the menu of commands for platforms (I3)", () => {
  it("then it has exactly the commands that `help` lists, in its order", () => {
    const listed = commands.filter(({ name }) => name in english.menu);
    expect(commandMenu.map(({ name }) => name)).toEqual(listed.map(({ name }) => name));
    expect(Object.keys(english.menu).sort()).toEqual(listed.map(({ name }) => name).sort());
    expect(commandMenu.map(({ privately }) => privately)).toEqual(listed.map(({ privately }) => privately));
  });

  it.each(commandMenu.map((command) => [command.name, command] as const))(
    "then %s fits the limits of Discord",
    (_, { name, description, argument, translations = {} }) => {
      expect(Object.keys(translations)).toEqual(["de", "es"]);
      for (const entry of [{ description, argument }, ...Object.values(translations)]) {
        expect(entry.argument?.name).toBe(argument?.name);
        for (const id of [name, entry.argument?.name ?? "none"]) expect(id).toMatch(NAME);
        for (const text of [entry.description, entry.argument?.description ?? "none"]) {
          expect(text.length).toBeGreaterThan(0);
          expect(text.length).toBeLessThanOrEqual(MAX_TEXT_CHARS);
        }
      }
    },
  );
});

import { describe, expect, it } from "vitest";
import { TeamsAccess } from "../../../adapters/teams/config.ts";
import { readYaml } from "../../../config/read/read-yaml.ts";
import { commands } from "../../../core/commands/commands.ts";
import { teamsGuide } from "./teams-guide.ts";

const { manifest } = teamsGuide;
const [bot] = manifest.bots;
const [{ commands: offered }] = bot.commandLists;

/** https://learn.microsoft.com/microsoftteams/platform/resources/schema/manifest-schema */
describe("given the guide's manifest", () => {
  it("then it names the app wherever one id is wanted, and Teams' three kinds of places", () => {
    expect(new Set([manifest.id, bot.botId, manifest.webApplicationInfo.id])).toEqual(new Set(["YOUR-APP-ID"]));
    expect(bot.scopes).toEqual(["personal", "team", "groupchat"]);
    expect(bot.commandLists.map(({ scopes }) => scopes)).toEqual([bot.scopes]);
  });

  it("then it offers every command of the product, and no other", () => {
    const there = commands.filter(({ summary }) => summary !== undefined).map(({ name }) => `/${name}`);
    expect(offered.map(({ title }) => title).sort()).toEqual(there.sort());
  });

  it("then its texts are as short, and as few, as Teams wants them", () => {
    const longest = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
    expect(longest([manifest.name.short])).toBeLessThanOrEqual(30);
    expect(longest([manifest.name.full])).toBeLessThanOrEqual(100);
    expect(longest([manifest.developer.name])).toBeLessThanOrEqual(32);
    expect(longest([manifest.description.short])).toBeLessThanOrEqual(80);
    expect(longest(offered.map(({ title }) => title))).toBeLessThanOrEqual(32);
    expect(longest(offered.map(({ description }) => description))).toBeLessThanOrEqual(128);
    expect(offered.length).toBeLessThanOrEqual(10);
  });

  it("then its version is the one of its schema, and all addresses have https", () => {
    expect(manifest.$schema).toContain(`/v${manifest.manifestVersion}/`);
    const { name: _, ...addresses } = manifest.developer;
    for (const address of Object.values(addresses)) expect(address).toMatch(/^https:\/\//);
    expect(manifest.accentColor).toMatch(/^#[0-9A-F]{6}$/);
  });
});

describe("given the guide's example of who may talk", () => {
  it("then it is one that the configuration takes", () => {
    const { value } = readYaml(teamsGuide.yaml("access:"));
    expect(TeamsAccess.parse((value as { access: unknown }).access)).toMatchObject({ messagesPerMinute: 20 });
  });
});

import { describe, expect, it } from "vitest";
import { TeamsAccess } from "../../../adapters/teams/config.ts";
import { readYaml } from "../../../config/read/read-yaml.ts";
import { commands } from "../../../core/commands/commands.ts";
import { english } from "../../../core/contract/texts/texts.ts";
import { teamsGuide } from "./teams-guide.ts";

const { manifest } = teamsGuide;
const [bot] = manifest.bots;
const [{ commands: offered }] = bot.commandLists;

/** https://learn.microsoft.com/microsoftteams/platform/resources/schema/manifest-schema */
describe("given the guide's manifest", () => {
  it("then every id is the app's, and it has the three scopes of Teams", () => {
    expect(new Set([manifest.id, bot.botId, manifest.webApplicationInfo.id])).toEqual(new Set(["YOUR-APP-ID"]));
    expect(bot.scopes).toEqual(["personal", "team", "groupchat"]);
    expect(bot.commandLists.map(({ scopes }) => scopes)).toEqual([bot.scopes]);
  });

  it("then it offers ten commands of the product, and the page names the others", () => {
    const there = commands.filter(({ name }) => name in english.menu).map(({ name }) => `/${name}`);
    const titles = offered.map(({ title }) => title);
    expect(titles.filter((title) => !there.includes(title))).toEqual([]);
    expect(new Set(titles).size).toBe(Math.min(10, there.length));
    const others = there.filter((title) => !titles.includes(title));
    expect(others.filter((title) => !teamsGuide.text.includes(`\`${title}\``))).toEqual([]);
  });

  it("then its texts are within the limits of Teams", () => {
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

describe("given the guide's example of access rules", () => {
  it("then the configuration accepts it", () => {
    const { value } = readYaml(teamsGuide.yaml("access:"));
    expect(TeamsAccess.parse((value as { access: unknown }).access)).toMatchObject({ messagesPerMinute: 20 });
  });
});

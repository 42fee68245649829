import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { textCommand } from "../../../adapters/contract/text-command.ts";

const guide = readFileSync(new URL("../../../docs/channels/teams.md", import.meta.url), "utf8");
const [manifest] = [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => JSON.parse(json ?? ""));

describe("given the guide's manifest", () => {
  it("then it names the app wherever one id is wanted, and Teams' three kinds of places", () => {
    const [bot] = manifest.bots;
    expect(new Set([manifest.id, bot.botId, manifest.webApplicationInfo.id])).toEqual(new Set(["YOUR-APP-ID"]));
    expect(bot.scopes).toEqual(["personal", "team", "groupChat"]);
  });

  it("then what Teams offers to type is understood", () => {
    const titles: string[] = manifest.bots[0].commandLists[0].commands.map(({ title }: { title: string }) => title);
    expect(titles.length).toBeGreaterThan(5);
    expect(titles.map((title) => textCommand(title)?.name)).toEqual(titles.map((title) => title.slice(1)));
  });

  it("then its texts are as short as Teams wants them", () => {
    expect(manifest.name.short.length).toBeLessThanOrEqual(30);
    expect(manifest.description.short.length).toBeLessThanOrEqual(80);
  });
});

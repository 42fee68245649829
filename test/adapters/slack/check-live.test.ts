import { describe, expect, it } from "vitest";
import { SlackConfig } from "../../../adapters/slack/config.ts";
import type { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import { runSlack } from "./running-slack.ts";

const check = async (
  mode: "http" | "socket",
  prepare: (slack: FakeSlack) => unknown = () => undefined,
  config = {},
) => {
  const running = await runSlack(mode, { start: false, config });
  prepare(running.slack);
  return { ...running, findings: await running.adapter.checkLive() };
};

describe("given `mooring check --live` (U2)", () => {
  it.each(["http", "socket"] as const)(
    "when the configuration is correct (%s), then there are no findings, and no post or socket",
    async (mode) => {
      const { findings, slack } = await check(mode);
      expect(findings).toEqual([]);
      expect(slack.posted).toEqual([]);
      expect(slack.sockets.greeted.items).toEqual([]);
    },
  );

  it("when scopes are missing, then there is a finding for each, with its consequence", async () => {
    const { findings } = await check("http", ({ scopes }) => {
      for (const scope of ["im:history", "commands", "groups:history", "assistant:write"]) scopes.delete(scope);
    });
    expect(findings).toEqual([
      expect.stringMatching(/im:history.*direct messages.*reinstall/),
      expect.stringMatching(/commands.*\/mooring/),
    ]);
  });

  it("when mentionOnly is false, then the history scopes are required too", async () => {
    const without = ({ scopes }: FakeSlack) => scopes.delete("groups:history");
    const { findings } = await check("http", without, { access: { mentionOnly: false } });
    expect(findings).toEqual([expect.stringContaining("groups:history")]);
  });

  it.each<[string, (slack: FakeSlack) => unknown, RegExp]>([
    ["the bot token is wrong", (slack) => Object.assign(slack, { botToken: "xoxb-other" }), /botToken.*invalid_auth/],
    ["the app token is wrong", (slack) => Object.assign(slack, { appToken: "xapp-other" }), /appToken.*invalid_auth/],
    ["the app token may not connect", ({ appScopes }) => appScopes.clear(), /connections:write/],
    [
      "the tokens belong to different apps",
      ({ world }) => Object.assign(world, { appId: "A0OTHER" }),
      /A0OTHER.*same app/,
    ],
    ["Slack is unavailable", (slack) => Object.assign(slack, { faultIn: () => "503" }), /botToken.*503/],
  ])("when %s, then the finding says so", async (_, spoil, finding) => {
    expect((await check("socket", spoil)).findings.join(" / ")).toMatch(finding);
  });
});

describe("given a channel's configuration", () => {
  const problems = (fields: object): string[] =>
    (SlackConfig.safeParse({ adapter: "slack", botToken: "xoxb-1", ...fields }).error?.issues ?? []).map(
      ({ path, message }) => `${path.join(".")} ${message}`,
    );

  it("when it has exactly one of signingSecret and appToken, then it is valid; otherwise the error names the field", () => {
    expect(problems({ signingSecret: "s" })).toEqual([]);
    expect(problems({ appToken: "xapp-1" })).toEqual([]);
    expect(problems({})).toEqual([expect.stringContaining("exactly one of")]);
    expect(problems({ appToken: "xapp-1", signingSecret: "s" })).toEqual([expect.stringContaining("exactly one of")]);
    expect(problems({ appToken: "xoxb-1" })).toEqual([expect.stringContaining('appToken must begin with "xapp-"')]);
    expect(problems({ botToken: "xapp-1", signingSecret: "s" })).toEqual([expect.stringContaining("botToken")]);
    expect(problems({ signingSecret: "s", apiUrl: "slack.com" })).toEqual([expect.stringContaining("apiUrl")]);
  });
});

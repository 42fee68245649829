import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SCOPES } from "../../../adapters/slack/check-live.ts";
import { SlackConfig } from "../../../adapters/slack/config.ts";

const guide = readFileSync(new URL("../../../docs/channels/slack.md", import.meta.url), "utf8");
const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => parse(text));
const [manifest] = blocks;
const explained = new Set(
  [...guide.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, names = ""]) => names.match(/[\w.:]+/g)),
);

describe("given the setup guide for Slack", () => {
  it("then its manifest has every required scope, and explains each scope and event", () => {
    const scopes: string[] = manifest.oauth_config.scopes.bot;
    expect(scopes).toEqual(expect.arrayContaining(SCOPES.map(({ name }) => name)));
    expect(scopes.filter((scope) => !explained.has(scope))).toEqual([]);
    expect(manifest.settings.event_subscriptions.bot_events.filter((event: string) => !explained.has(event))).toEqual(
      [],
    );
  });

  it("then people can write to the app, its buttons work, and its token does not expire", () => {
    expect(manifest.features.app_home).toMatchObject({
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
    expect(manifest.settings).toMatchObject({ interactivity: { is_enabled: true }, token_rotation_enabled: false });
  });

  it("then its example configuration is valid", () => {
    const { slack } = blocks.find((block) => "channels" in block).channels;
    const filled = { ...slack, botToken: "xoxb-1", appToken: "xapp-1" };
    expect(SlackConfig.safeParse(filled).error).toBeUndefined();
  });
});

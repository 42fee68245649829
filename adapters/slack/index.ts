import type { AdapterDefinition } from "../contract/adapter-definition.ts";
import { SlackConfig } from "./config.ts";

export const slack: AdapterDefinition<typeof SlackConfig> = {
  id: "slack",
  label: "Slack",
  config: SlackConfig,
  questions: [
    {
      flag: "slack-bot-token",
      message: "Slack: the Bot User OAuth Token (xoxb-…)",
      setting: ["botToken"],
      env: "SLACK_BOT_TOKEN",
    },
    {
      flag: "slack-mode",
      message: "Slack: how does Mooring receive messages?",
      choices: [
        { value: "socket", label: "Socket Mode: Mooring calls Slack, no public address needed" },
        { value: "http", label: "HTTP: Slack calls this gateway's public address" },
      ],
      otherwise: "socket",
    },
    {
      flag: "slack-app-token",
      message: "Slack: the app-level token (xapp-…)",
      setting: ["appToken"],
      env: "SLACK_APP_TOKEN",
      after: { flag: "slack-mode", answer: "socket" },
    },
    {
      flag: "slack-signing-secret",
      message: "Slack: the Signing Secret",
      setting: ["signingSecret"],
      env: "SLACK_SIGNING_SECRET",
      after: { flag: "slack-mode", answer: "http" },
    },
  ],
  guide: "docs/channels/slack.md",
  async create(config, context) {
    const { SlackAdapter } = await import("./adapter.ts");
    return new SlackAdapter(config, context);
  },
};

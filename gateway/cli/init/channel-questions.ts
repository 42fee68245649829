import { type Answers, listed, type Question } from "./question.ts";

export const channels = [
  { value: "web", label: "Web: a widget on your pages" },
  { value: "slack", label: "Slack" },
  { value: "discord", label: "Discord" },
  { value: "teams", label: "Microsoft Teams" },
] as const;

/** Channels that have a guide, `docs/channels/<name>.md`. */
export const guided = channels.slice(1).map(({ value }) => value);

const wants = (channel: string) => (answers: Answers) => listed(answers.get("channels")).includes(channel);

const secretOf = (channel: string, key: string, question: { message: string; env: string }): Question => ({
  flag: `${channel}-${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  message: question.message,
  secret: true,
  when: wants(channel),
  settings: (value) => [{ path: ["channels", channel, key], value, env: question.env }],
});

const idOf = (channel: string, key: string, question: { flag: string; message: string }): Question => ({
  ...question,
  when: wants(channel),
  settings: (value) => [{ path: ["channels", channel, key], value }],
});

const slackMode = (mode: string) => (answers: Answers) => wants("slack")(answers) && answers.get("slack-mode") === mode;

const slack: readonly Question[] = [
  secretOf("slack", "botToken", { message: "Slack: the Bot User OAuth Token (xoxb-…)", env: "SLACK_BOT_TOKEN" }),
  {
    flag: "slack-mode",
    message: "Slack: how do messages come?",
    choices: [
      { value: "socket", label: "Socket Mode: Mooring calls Slack, no public address needed" },
      { value: "http", label: "over HTTP: Slack calls this gateway's public address" },
    ],
    otherwise: "socket",
    when: wants("slack"),
    settings: () => [],
  },
  {
    ...secretOf("slack", "appToken", { message: "Slack: the app-level token (xapp-…)", env: "SLACK_APP_TOKEN" }),
    when: slackMode("socket"),
  },
  {
    ...secretOf("slack", "signingSecret", { message: "Slack: the Signing Secret", env: "SLACK_SIGNING_SECRET" }),
    when: slackMode("http"),
  },
];

const discord: readonly Question[] = [
  secretOf("discord", "botToken", { message: "Discord: the bot's token", env: "DISCORD_BOT_TOKEN" }),
  {
    flag: "discord-guilds",
    message: "Discord: ids of the servers whose members may talk to it, separated by commas, or * for all",
    when: wants("discord"),
    settings: (answer) => {
      const path = ["channels", "discord", "access", "guilds"];
      return [{ path, value: answer.trim() === "*" ? "*" : listed(answer) }];
    },
  },
];

const teams: readonly Question[] = [
  idOf("teams", "appId", { flag: "teams-app-id", message: "Teams: the Application (client) ID" }),
  secretOf("teams", "appPassword", { message: "Teams: the value of a client secret", env: "TEAMS_APP_PASSWORD" }),
  idOf("teams", "tenantId", { flag: "teams-tenant-id", message: "Teams: the Directory (tenant) ID" }),
];

export const channelQuestions: readonly Question[] = [...slack, ...discord, ...teams];

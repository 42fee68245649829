import type { webApi } from "@slack/bolt";
import { messageOf } from "../../core/contract/app-error.ts";
import type { SlackConfig } from "./config.ts";
import { explain, slackErrorOf } from "./failure.ts";
import type { SlackIdentity } from "./web-api.ts";
import { identify } from "./web-api.ts";

export interface CheckDeps {
  readonly config: SlackConfig;
  readonly bot: webApi.WebClient;
  /** Client with the app-level token, if one is configured. */
  readonly app: webApi.WebClient | undefined;
}

/** Lists the problems of the configuration with their remedies. It posts nothing and opens no socket. */
export const checkSlack = async ({ config, bot, app }: CheckDeps): Promise<string[]> => {
  const findings: string[] = [];
  let identity: SlackIdentity | undefined;
  try {
    identity = await identify(bot);
    const { scopes } = identity;
    if (scopes !== undefined) findings.push(...missingScopes(scopes, config));
  } catch (error) {
    findings.push(`botToken: ${explained(error)}`);
  }
  if (app !== undefined) findings.push(...(await checkSocketToken(app)));
  if (app !== undefined && identity !== undefined) findings.push(...(await checkSameApp(config, bot, identity)));
  return findings;
};

const checkSocketToken = async (app: webApi.WebClient): Promise<string[]> => {
  try {
    await app.apps.connections.open({});
    return [];
  } catch (error) {
    const name = slackErrorOf(error);
    if (name === "missing_scope")
      return ["appToken lacks the scope connections:write: make a new app-level token with it"];
    if (name === "not_allowed_token_type")
      return ["appToken must be an app-level token (Basic Information → App-Level Tokens)"];
    return [`appToken: ${explained(error)}`];
  }
};

/** Two tokens of two different apps are both valid, but no event ever arrives. */
const checkSameApp = async (
  { appToken }: SlackConfig,
  bot: webApi.WebClient,
  { botId }: SlackIdentity,
): Promise<string[]> => {
  const [, , socketApp] = appToken?.reveal().split("-") ?? [];
  if (botId === undefined || socketApp === undefined) return [];
  const found = await bot.bots.info({ bot: botId }).catch(() => undefined);
  const appOfBot = found?.bot?.app_id;
  if (appOfBot === undefined || appOfBot === socketApp) return [];
  return [`botToken belongs to the app ${appOfBot}, appToken to ${socketApp}: take both from the same app`];
};

const explained = (error: unknown): string => (slackErrorOf(error) === undefined ? messageOf(error) : explain(error));

interface Scope {
  readonly name: string;
  readonly without: string;
  /** Absent: always needed. */
  readonly neededIf?: (config: SlackConfig) => boolean;
}

const readsRooms = ({ access }: SlackConfig): boolean => access?.mentionOnly === false;

/** Required scopes of the bot token. The setup guide lists the same scopes and the optional ones. */
export const SCOPES: readonly Scope[] = [
  { name: "chat:write", without: "it cannot answer" },
  { name: "app_mentions:read", without: "it does not receive mentions" },
  { name: "im:history", without: "it does not receive direct messages" },
  { name: "im:write", without: "it cannot start a direct message" },
  { name: "users:read", without: "people's names and time zones are unknown" },
  { name: "commands", without: "the command /mooring does not exist" },
  { name: "files:read", without: "it cannot read files that people attach" },
  { name: "channels:history", without: "it receives only mentions in public channels", neededIf: readsRooms },
  { name: "groups:history", without: "it receives only mentions in private channels", neededIf: readsRooms },
  { name: "mpim:history", without: "it receives only mentions in group messages", neededIf: readsRooms },
  { name: "reactions:write", without: "it cannot react to messages", neededIf: ({ reactions }) => reactions !== false },
];

const missingScopes = (granted: readonly string[], config: SlackConfig): string[] =>
  SCOPES.filter(({ name, neededIf }) => !granted.includes(name) && (neededIf?.(config) ?? true)).map(
    ({ name, without }) =>
      `the scope ${name} is missing, so ${without}: add it under OAuth & Permissions and reinstall`,
  );

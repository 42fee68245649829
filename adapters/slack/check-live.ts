import type { webApi } from "@slack/bolt";
import { messageOf } from "../../core/contract/app-error.ts";
import type { SlackConfig } from "./config.ts";
import { explain, slackErrorOf } from "./failure.ts";
import type { SlackIdentity } from "./identity.ts";
import { identify } from "./identity.ts";
import { missingScopes } from "./scopes.ts";

export interface CheckParts {
  readonly config: SlackConfig;
  readonly bot: webApi.WebClient;
  /** With the app-level token, if there is one. */
  readonly app: webApi.WebClient | undefined;
}

/** What a person has to mend before this works; empty if nothing. Nothing is posted and no socket is opened. */
export const checkSlack = async ({ config, bot, app }: CheckParts): Promise<string[]> => {
  const findings: string[] = [];
  let identity: SlackIdentity | undefined;
  try {
    identity = await identify(bot);
    const { scopes } = identity;
    if (scopes !== undefined) findings.push(...missingScopes(scopes, config));
  } catch (error) {
    findings.push(`botToken: ${wordsFor(error)}`);
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
    return [`appToken: ${wordsFor(error)}`];
  }
};

/** Two tokens of two apps are each fine by themselves, and nothing ever arrives. */
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

const wordsFor = (error: unknown): string => (slackErrorOf(error) === undefined ? messageOf(error) : explain(error));

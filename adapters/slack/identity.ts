import type { webApi } from "@slack/bolt";
import { AppError } from "../../core/contract/app-error.ts";

/** Who the bot token belongs to. */
export interface SlackIdentity {
  readonly teamId: string;
  readonly enterpriseId: string | undefined;
  readonly botUserId: string;
  readonly botId: string | undefined;
  /** `https://acme.slack.com/` */
  readonly teamUrl: string;
  /** What the token may do; unknown if Slack does not say. */
  readonly scopes: readonly string[] | undefined;
}

export const identify = async (client: webApi.WebClient): Promise<SlackIdentity> => {
  const { team_id, enterprise_id, user_id, bot_id, url, response_metadata } = await client.auth.test();
  if (!team_id || !user_id || !url) {
    throw new AppError("unavailable", "Slack did not say whom the bot token belongs to: is apiUrl Slack's Web API?");
  }
  return {
    teamId: team_id,
    enterpriseId: enterprise_id,
    botUserId: user_id,
    botId: bot_id,
    teamUrl: url.endsWith("/") ? url : `${url}/`,
    scopes: response_metadata?.scopes,
  };
};

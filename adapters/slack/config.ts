import { z } from "zod";
import { secret } from "../../core/contract/secret.ts";
import {
  accessFields,
  channelFields,
  localeFields,
  reactionFields,
  roomAccessFields,
  streamingFields,
} from "../contract/config.ts";

export const SlackAccess = z.strictObject({
  ...accessFields,
  ...roomAccessFields,
  teams: z
    .union([z.literal("*"), z.array(z.string().min(1))])
    .optional()
    .describe(
      'Ids of other workspaces whose members may talk to the agent in shared channels, or "*"; none by default.',
    ),
});
export type SlackAccess = z.infer<typeof SlackAccess>;

const HttpUrl = z.string().refine((url) => /^https?:\/\//.test(url) && URL.canParse(url), {
  error: 'must be an address such as "https://slack.com/api/"',
});

export const SlackConfig = z
  .strictObject({
    adapter: z.literal("slack").describe("Slack."),
    ...channelFields,
    ...localeFields,
    ...streamingFields,
    ...reactionFields,
    access: SlackAccess.optional().describe(
      "Accounts and rooms that may talk to the agent; by default all of the workspace.",
    ),
    botToken: secret({ startsWith: "xoxb-" }).describe("The app's Bot User OAuth Token."),
    signingSecret: secret()
      .optional()
      .describe("Verifies the requests that Slack sends to the gateway over HTTP. Set either this or appToken."),
    appToken: secret({ startsWith: "xapp-" })
      .optional()
      .describe("App-level token with connections:write, for Socket Mode, which needs no public address."),
    apiUrl: HttpUrl.default("https://slack.com/api/").describe(
      "Address of the Web API; differs for GovSlack and proxies.",
    ),
  })
  .refine(({ signingSecret, appToken }) => (signingSecret === undefined) !== (appToken === undefined), {
    error: "needs exactly one of signingSecret (Slack calls the gateway) and appToken (Socket Mode)",
  });
export type SlackConfig = z.infer<typeof SlackConfig>;

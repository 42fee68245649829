import { z } from "zod";
import { secret } from "../../core/contract/secret.ts";
import { accessFields, channelFields, localeFields, roomAccessFields, streamingFields } from "../contract/config.ts";

export const SlackAccess = z.strictObject({
  ...accessFields,
  ...roomAccessFields,
  teams: z
    .union([z.literal("*"), z.array(z.string().min(1))])
    .optional()
    .describe('Ids of other workspaces whose members may talk to it in shared channels, or "*"; none by default.'),
});
export type SlackAccess = z.infer<typeof SlackAccess>;

const HttpUrl = z.string().refine((url) => /^https?:\/\//.test(url) && URL.canParse(url), {
  error: 'must be an address such as "https://slack.com/api/"',
});

export const SlackConfig = z
  .strictObject({
    adapter: z.literal("slack"),
    ...channelFields,
    ...localeFields,
    ...streamingFields,
    access: SlackAccess.optional(),
    botToken: secret({ startsWith: "xoxb-" }).describe("The app's Bot User OAuth Token."),
    signingSecret: secret()
      .optional()
      .describe("Slack calls the gateway over HTTP, and signs with this. Either this or appToken."),
    appToken: secret({ startsWith: "xapp-" })
      .optional()
      .describe("Socket Mode, which needs no public address: an app-level token with connections:write."),
    apiUrl: HttpUrl.default("https://slack.com/api/").describe("Where the Web API is; GovSlack and proxies differ."),
  })
  .refine(({ signingSecret, appToken }) => (signingSecret === undefined) !== (appToken === undefined), {
    error: "needs exactly one of signingSecret (Slack calls the gateway) and appToken (Socket Mode)",
  });
export type SlackConfig = z.infer<typeof SlackConfig>;

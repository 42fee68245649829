import { z } from "zod";
import { secret } from "../../core/contract/secret.ts";
import { accessFields, channelFields, roomAccessFields, streamingFields } from "../contract/config.ts";

const DirectoryId = z.guid({ error: 'must be an id such as "00000000-0000-0000-0000-000000000000"' });

/** Requests carry secrets and messages, so only loopback may omit encryption. */
const SafeUrl = z
  .string()
  .refine((url) => URL.canParse(url) && isSafe(new URL(url)), {
    error: 'must be an address such as "https://host/path": with https, and no user, "?" or "#" in it',
  })
  .transform((url) => url.replace(/\/+$/, ""));

const isSafe = ({ protocol, hostname, username, password, search, hash }: URL): boolean =>
  (protocol === "https:" || (protocol === "http:" && LOOPBACK.includes(hostname))) &&
  username + password + search + hash === "";

const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];

const FileHost = z.string().regex(/^(\*\.)?[a-z0-9.-]+(:\d+)?$/, {
  error: 'must be a host such as "contoso.sharepoint.com" or "*.sharepoint.com"',
});

export const TeamsAccess = z
  .strictObject({
    ...accessFields,
    ...roomAccessFields,
    teams: z
      .union([z.literal("*"), z.array(z.string().min(1))])
      .optional()
      .describe(
        "Ids of the teams whose channels the agent listens in. Group chats, which have no team, are then closed.",
      ),
  })
  .transform(({ teams, ...access }) => ({ ...access, workspaces: teams }));
export type TeamsAccess = z.infer<typeof TeamsAccess>;

export const TeamsConfig = z.strictObject({
  adapter: z.literal("teams"),
  ...channelFields,
  ...streamingFields,
  access: TeamsAccess.optional(),
  appId: DirectoryId.describe("Application (client) ID of the bot's app registration."),
  appPassword: secret().describe("The value of a client secret of that registration, not the secret's ID."),
  tenantId: DirectoryId.describe("Directory (tenant) ID. Only activities of this tenant are taken."),
  openIdMetadataUrl: SafeUrl.default("https://login.botframework.com/v1/.well-known/openidconfiguration").describe(
    "Where the keys are named that sign Teams' requests. The keys must be on the same host.",
  ),
  tokenUrl: SafeUrl.default("https://login.microsoftonline.com").describe("Where the bot gets its own tokens."),
  issuer: SafeUrl.default("https://api.botframework.com").describe(
    "Who issues the tokens of Teams' requests; the bot's own tokens are for it.",
  ),
  serviceUrls: z
    .array(SafeUrl)
    .min(1)
    .default(["https://smba.trafficmanager.net", "https://smba.infra.gcc.teams.microsoft.com"])
    .describe("Addresses that answers may be sent to, with the bot's token. Everything below them is allowed."),
  fileHosts: z
    .array(FileHost)
    .default(["*.sharepoint.com"])
    .describe("Hosts that the files of people's messages may be fetched from, without a token."),
});
export type TeamsConfig = z.infer<typeof TeamsConfig>;

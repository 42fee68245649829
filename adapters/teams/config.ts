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
        "Ids of the teams in whose channels the agent listens. If set, group chats, which have no team, are refused.",
      ),
  })
  .transform(({ teams, ...access }) => ({ ...access, workspaces: teams }));
export type TeamsAccess = z.infer<typeof TeamsAccess>;

export const TeamsConfig = z.strictObject({
  adapter: z.literal("teams").describe("Microsoft Teams."),
  ...channelFields,
  ...streamingFields,
  access: TeamsAccess.optional().describe(
    "Accounts and rooms that may talk to the agent; by default all of the tenant.",
  ),
  appId: DirectoryId.describe("Application (client) ID of the bot's app registration."),
  appPassword: secret().describe("The value of a client secret of that registration, not the secret's ID."),
  tenantId: DirectoryId.describe("Directory (tenant) ID. Only activities of this tenant are accepted."),
  openIdMetadataUrl: SafeUrl.default("https://login.botframework.com/v1/.well-known/openidconfiguration").describe(
    "OpenID document that names the keys of Teams' requests. The keys must be on the same host.",
  ),
  tokenUrl: SafeUrl.default("https://login.microsoftonline.com").describe(
    "Address from which the bot gets its tokens.",
  ),
  issuer: SafeUrl.default("https://api.botframework.com").describe(
    "Issuer of the tokens in Teams' requests, and audience of the bot's own tokens.",
  ),
  serviceUrls: z
    .array(SafeUrl)
    .min(1)
    .default(["https://smba.trafficmanager.net", "https://smba.infra.gcc.teams.microsoft.com"])
    .describe("Addresses to which answers may be sent with the bot's token. Paths below them are allowed too."),
  fileHosts: z
    .array(FileHost)
    .default(["*.sharepoint.com"])
    .describe("Hosts from which attached files may be downloaded, without a token."),
});
export type TeamsConfig = z.infer<typeof TeamsConfig>;

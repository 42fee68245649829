import { PermissionFlagsBits, Routes } from "discord.js";
import { z } from "zod";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { DiscordAccess } from "../config.ts";
import type { RestCalls } from "./rest-calls.ts";

const Application = z.object({
  id: z.string(),
  flags: z.number().default(0),
  interactions_endpoint_url: z.string().nullish(),
});
const Guilds = z.array(
  z.object({ id: z.string(), name: z.string().default(""), permissions: z.string().regex(/^\d+$/).default("0") }),
);
const GatewayBot = z.object({ session_start_limit: z.object({ remaining: z.number() }) });

/** https://docs.discord.com/developers/resources/application#application-object-application-flags */
const MAY_READ_CONTENT = (1 << 18) | (1 << 19);
const PAGE = 200;

/** Checks token, intents and permissions with Discord. Each finding names its remedy. */
export const checkLive = async (rest: RestCalls, access: DiscordAccess): Promise<readonly string[]> => {
  try {
    const application = await rest.read(Application, "get", "/applications/@me");
    const { session_start_limit: limit } = await rest.read(GatewayBot, "get", Routes.gatewayBot());
    const guilds = await guildsOf(rest);
    return [
      ...applicationFindings(application, access),
      ...(limit.remaining > 0
        ? []
        : ["Discord accepts no more logins of this bot today: find out why it restarts so often"]),
      ...guildFindings(guilds, access, inviteLink(application.id)),
    ];
  } catch (error) {
    return [messageOf(error)];
  }
};

const guildsOf = async (rest: RestCalls): Promise<z.infer<typeof Guilds>> => {
  const all: z.infer<typeof Guilds> = [];
  for (let after = "0"; ; ) {
    const page = await rest.read(Guilds, "get", Routes.userGuilds(), { query: { limit: String(PAGE), after } });
    all.push(...page);
    const last = page.at(-1)?.id;
    if (page.length < PAGE || last === undefined) return all;
    after = last;
  }
};

const applicationFindings = (
  { flags, interactions_endpoint_url }: z.infer<typeof Application>,
  { mentionOnly }: DiscordAccess,
): string[] => {
  const findings: string[] = [];
  if (!mentionOnly && (flags & MAY_READ_CONTENT) === 0) {
    findings.push(
      "access.mentionOnly is false, but the bot may not read messages: switch on the Message Content Intent " +
        "in the developer portal (Bot), or set mentionOnly to true",
    );
  }
  if (interactions_endpoint_url) {
    findings.push(
      `Discord sends slash commands to ${interactions_endpoint_url} instead of Mooring: ` +
        "empty the Interactions Endpoint URL in the developer portal (General Information)",
    );
  }
  return findings;
};

const guildFindings = (guilds: z.infer<typeof Guilds>, access: DiscordAccess, invite: string): string[] => {
  if (guilds.length === 0) return [`the bot is in no server: invite it with ${invite}`];
  const { workspaces = "*" } = access;
  const named = workspaces === "*" ? guilds.map(({ id }) => id) : workspaces;
  return named.flatMap((id) => {
    const guild = guilds.find((each) => each.id === id);
    if (guild === undefined) return [`the bot is not in server ${id}: invite it with ${invite}`];
    const missing = missingPermissions(BigInt(guild.permissions));
    if (missing.length === 0) return [];
    return [`in server ${id} (${guild.name}) the bot lacks ${missing.join(", ")}: invite it again with ${invite}`];
  });
};

/** Permissions in the invite link, with Discord's names for them. */
const REQUIRED_PERMISSIONS: readonly [bit: bigint, name: string][] = [
  [PermissionFlagsBits.ViewChannel, "View Channels"],
  [PermissionFlagsBits.SendMessages, "Send Messages"],
  [PermissionFlagsBits.SendMessagesInThreads, "Send Messages in Threads"],
  [PermissionFlagsBits.EmbedLinks, "Embed Links"],
  [PermissionFlagsBits.ReadMessageHistory, "Read Message History"],
];

const missingPermissions = (granted: bigint): string[] =>
  (granted & PermissionFlagsBits.Administrator) === PermissionFlagsBits.Administrator
    ? []
    : REQUIRED_PERMISSIONS.filter(([bit]) => (granted & bit) === 0n).map(([, name]) => name);

/** The page on which a server administrator adds the bot. */
const inviteLink = (applicationId: string): string => {
  const permissions = REQUIRED_PERMISSIONS.reduce((all, [bit]) => all | bit, 0n);
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: "bot applications.commands",
    permissions: String(permissions),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
};

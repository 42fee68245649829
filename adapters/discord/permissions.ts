import { PermissionFlagsBits } from "discord.js";

/** What the bot asks for when it is invited, and the name that Discord gives to it. */
const WANTED: readonly [bit: bigint, name: string][] = [
  [PermissionFlagsBits.ViewChannel, "View Channels"],
  [PermissionFlagsBits.SendMessages, "Send Messages"],
  [PermissionFlagsBits.SendMessagesInThreads, "Send Messages in Threads"],
  [PermissionFlagsBits.EmbedLinks, "Embed Links"],
  [PermissionFlagsBits.ReadMessageHistory, "Read Message History"],
];

export const missingPermissions = (granted: bigint): string[] =>
  (granted & PermissionFlagsBits.Administrator) === PermissionFlagsBits.Administrator
    ? []
    : WANTED.filter(([bit]) => (granted & bit) === 0n).map(([, name]) => name);

/** Where somebody who manages a server lets the bot in. */
export const inviteLink = (applicationId: string): string => {
  const permissions = WANTED.reduce((all, [bit]) => all | bit, 0n);
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: "bot applications.commands",
    permissions: String(permissions),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
};

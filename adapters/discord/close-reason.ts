/** Why Discord ended a connection for good, and what to do about it. */
export const closeReason = (code: number): string => `${REASONS[code] ?? "Discord closed the connection"} (${code})`;

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const REASONS: Readonly<Record<number, string>> = {
  4004: "Discord refuses the bot token: reset it in the developer portal (Bot, Reset Token) and set botToken",
  4010: "Discord does not know this shard: report it as a bug of Mooring",
  4011: "the bot is in too many servers for one connection (2,500 are the most): leave some, or use a second bot",
  4012: "Discord no longer speaks this version of its API: update Mooring",
  4013: "Discord does not know these intents: update Mooring",
  4014:
    "Discord does not allow the intents: switch on the Message Content Intent in the developer portal (Bot), " +
    "or set access.mentionOnly to true",
};

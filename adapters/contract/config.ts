import { z } from "zod";
import { DeliveryConfig, Locale, TimeZone } from "../../core/contract/messages/delivery-policy.ts";
import { Name } from "../../core/contract/ports/token.ts";

const anyOrListed = z.union([z.literal("*"), z.array(z.string().min(1))]);

/** Access rules of every channel. A platform with rooms adds `roomAccessFields`. */
export const accessFields = {
  accounts: anyOrListed.optional().describe('Account ids that may talk to the agent, or "*" for all.'),
  messagesPerMinute: z.int().min(1).optional().describe("Maximum number of messages of one account per minute."),
};
export const Access = z.strictObject(accessFields);

/** For a platform with shared conversations. The adapter applies `mentionOnly`, because only it recognises a mention. */
export const roomAccessFields = {
  rooms: anyOrListed.optional().describe('Shared rooms in which the agent listens and writes, or "*" for all.'),
  mentionOnly: z.boolean().default(true).describe("In shared rooms, only messages that mention the agent reach it."),
};

/**
 * The gateway checks these rules for each incoming message and again for each answer. An adapter's schema may name its
 * workspaces differently (guilds, teams) and maps them to `workspaces`.
 */
export interface AccessRules {
  readonly accounts?: "*" | readonly string[] | undefined;
  readonly rooms?: "*" | readonly string[] | undefined;
  /** Apply to shared conversations. */
  readonly workspaces?: "*" | readonly string[] | undefined;
  readonly messagesPerMinute?: number | undefined;
  /** Personal mode: `accounts` has the owner's account only. */
  readonly isPersonal?: boolean | undefined;
}

/** For a platform whose messages can be edited. */
export const streamingFields = {
  streaming: z
    .boolean()
    .default(true)
    .describe("Shows an answer while the model writes it, by editing its message; false: once it is complete."),
};

/** For a platform with reactions. Off by default, because they need another permission on the platform. */
export const reactionFields = {
  reactions: z
    .union([z.boolean(), z.enum(["seen", "working"])])
    .default(false)
    .describe(
      "Reactions of the agent to messages. seen: one when a message has reached the agent. working: one while the agent " +
        "works on its answer, if that takes longer than a few seconds. true: both.",
    ),
};

/** Configuration fields of every channel. */
export const channelFields = {
  agent: Name.optional().describe("The agent that answers here. Optional if there is only one."),
  delivery: DeliveryConfig.optional().describe(
    "How proactive messages reach people here who have not chosen it themselves.",
  ),
  timeZone: TimeZone.optional().describe("Time zone of people here whose own zone is unknown."),
};

/** For a channel that formats times as text. On Discord and Teams the reader's client formats them. */
export const localeFields = {
  locale: Locale.optional().describe("Locale of times for people here whose own locale is unknown."),
};

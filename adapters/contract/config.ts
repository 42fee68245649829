import { z } from "zod";
import { DeliveryConfig, Locale, TimeZone } from "../../core/contract/messages/delivery-policy.ts";
import { Name } from "../../core/contract/ports/token.ts";

const anyOrListed = z.union([z.literal("*"), z.array(z.string().min(1))]);

/** Access rules of every channel. A platform with rooms adds `roomAccessFields`. */
export const accessFields = {
  accounts: anyOrListed.optional().describe('Account ids that may talk to the agent, or "*" for all.'),
  messagesPerMinute: z.int().min(1).optional().describe("The most that one account may send in a minute."),
};
export const Access = z.strictObject(accessFields);

/** For a platform with shared conversations. The adapter applies `mentionOnly`, because only it recognises a mention. */
export const roomAccessFields = {
  rooms: anyOrListed.optional().describe('Shared rooms in which the agent listens and writes, or "*" for all.'),
  mentionOnly: z.boolean().default(true).describe("In shared rooms, only what mentions the agent is for it."),
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
}

/** For a platform whose messages can be edited. */
export const streamingFields = {
  streaming: z
    .boolean()
    .default(true)
    .describe("Show an answer while it is written, by editing its message; false: only when it is whole."),
};

/** Configuration fields of every channel. */
export const channelFields = {
  agent: Name.optional().describe("The agent that answers here. Not needed while there is only one."),
  delivery: DeliveryConfig.optional().describe("How unsolicited answers reach people here, where they do not say."),
  timeZone: TimeZone.optional().describe("For people here whose own zone is not known."),
};

/** For a channel that formats times as text. On Discord and Teams the reader's client formats them. */
export const localeFields = {
  locale: Locale.optional().describe("How times are written for people here whose own language is not known."),
};

import { z } from "zod";
import { DeliveryConfig, Locale, TimeZone } from "../../core/contract/delivery-policy.ts";
import { Name } from "../../core/contract/name.ts";

const anyOrListed = z.union([z.literal("*"), z.array(z.string().min(1))]);

/** Who may talk to the agent, on every channel. A platform with rooms has `roomAccessFields` too. */
export const accessFields = {
  accounts: anyOrListed.optional().describe('Account ids that may talk to the agent, or "*" for all.'),
  messagesPerMinute: z.int().min(1).optional().describe("The most that one account may send in a minute."),
};
export const Access = z.strictObject(accessFields);

/** For a platform whose conversations can be shared. `mentionOnly` is the adapter's to apply: only it knows a mention. */
export const roomAccessFields = {
  rooms: anyOrListed.optional().describe('Shared rooms in which the agent listens and writes, or "*" for all.'),
  mentionOnly: z.boolean().default(true).describe("In shared rooms, only what mentions the agent is for it."),
};

/**
 * What the gateway checks when a message comes and again when an answer goes. An adapter's own schema may call its
 * workspaces something else (guilds, teams), and turns them into this.
 */
export interface AccessRules {
  readonly accounts?: "*" | readonly string[] | undefined;
  readonly rooms?: "*" | readonly string[] | undefined;
  /** Those of shared conversations. */
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

/** What the configuration of every channel has. */
export const channelFields = {
  agent: Name.optional().describe("The agent that answers here. Not needed while there is only one."),
  delivery: DeliveryConfig.optional().describe("How unsolicited answers reach people here, where they do not say."),
  timeZone: TimeZone.optional().describe("For people here whose own zone is not known."),
};

/** For a channel that writes times as text. Discord and Teams have each reader's client write them. */
export const localeFields = {
  locale: Locale.optional().describe("How times are written for people here whose own language is not known."),
};

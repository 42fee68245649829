import { z } from "zod";
import { Name } from "../../core/contract/name.ts";

/** Who may talk to the agent on a channel. A platform with rooms extends it. */
export const Access = z.strictObject({
  accounts: z
    .union([z.literal("*"), z.array(z.string().min(1))])
    .optional()
    .describe('Account ids that may talk to the agent, or "*" for all.'),
  messagesPerMinute: z.int().min(1).optional().describe("The most that one account may send in a minute."),
});
export type Access = z.infer<typeof Access>;

/** What the configuration of every channel has. */
export const channelFields = {
  agent: Name.optional().describe("The agent that answers here. Not needed while there is only one."),
};

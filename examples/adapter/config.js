import { accessFields, channelFields, roomAccessFields, secret, streamingFields } from "mooring/adapter";
import { z } from "zod";

/** The settings of a channel. `check`, suggestions and the schema for editors come from here. */
export const PaperConfig = z.strictObject({
  adapter: z.literal("paper"),
  ...channelFields,
  ...streamingFields,
  access: z
    .strictObject({ ...accessFields, ...roomAccessFields })
    .prefault({})
    .describe("Accounts and rooms that may talk to the agent; by default all of them."),
  apiUrl: z.url().describe("Address of the paper platform."),
  token: secret().describe("The bot's token."),
  signingSecret: secret({ minLength: 8 }).describe("Signs the requests of the platform."),
});

/** @typedef {import("zod").infer<typeof PaperConfig>} PaperConfig */

import { z } from "zod";
import { secret } from "../../core/contract/secret.ts";
import { Access, channelFields, localeFields } from "../contract/config.ts";

const count = (fallback: number) => z.int().min(1).default(fallback);

const bytes = (fallback: number) => z.int().min(100_000).default(fallback);

/**
 * Limits per client. Gateways share those of stored bytes and of a visitor's files. Rates, sockets and uploads at once
 * protect one process, so each gateway counts them alone.
 */
export const WebLimits = z.strictObject({
  frameBytes: z.int().min(1_024).max(450_000).default(65_536).describe("Maximum size of a client's frame, in bytes."),
  textLength: z.int().min(1).max(100_000).default(32_000).describe("Maximum length of a message, in characters."),
  messagesPerSecond: z.number().positive().default(2).describe("Messages and commands per second from one visitor."),
  messageBurst: count(20).describe("Size of a burst above that rate."),
  messagesPerSecondOfAddress: z
    .number()
    .positive()
    .default(40)
    .describe("Messages and commands per second from one address, all its visitors together."),
  messageBurstOfAddress: count(400).describe("Size of a burst above that rate."),
  framesPerSecond: z.number().positive().default(20).describe("Frames of any kind per second on one connection."),
  frameBurst: count(100).describe("Size of a burst above that rate."),
  connectionsPerVisitor: count(20).describe("Open sockets per visitor."),
  connectionsPerAddress: count(200).describe("Open sockets per client address."),
  connections: count(20_000).describe("Open sockets per gateway."),
  fileBytes: z
    .int()
    .min(1_000)
    .max(20_000_000)
    .default(20_000_000)
    .describe("Maximum size of an uploaded file, in bytes."),
  uploadsPerAddress: count(8).describe("Files that one gateway receives at once from one address."),
  uploads: count(64).describe(
    "Files that one gateway receives at once on this channel; visitors without an identity may send three quarters of them.",
  ),
  filesPerVisitor: z
    .int()
    .min(0)
    .max(200)
    .default(50)
    .describe("Maximum number of stored files of one visitor; 0: no uploads."),
  fileBytesPerVisitor: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(100_000_000)
    .describe("Maximum size of one visitor's stored files together, in bytes."),
  unattachedFileMinutes: z
    .number()
    .positive()
    .max(1_440)
    .default(30)
    .describe("Minutes after which a file that no message attaches is deleted."),
  storedBytesPerVisitor: bytes(100_000_000).describe(
    "Bytes of messages and files that one visitor may store per hour.",
  ),
  storedBytesPerAddress: bytes(200_000_000).describe("Bytes per hour from one address, all its visitors together."),
  storedBytes: bytes(2_000_000_000).describe("Bytes per hour from all visitors of the channel, over all gateways."),
  minFreeBytes: z
    .int()
    .min(0)
    .default(500_000_000)
    .describe("Uploads are refused while the disk of the data folder has fewer free bytes; embedded backbone only."),
});
export type WebLimits = z.infer<typeof WebLimits>;

const Origin = z.string().refine((origin) => URL.canParse(origin) && new URL(origin).origin === origin, {
  error: 'must be an origin such as "https://shop.example": lower case, no path and no "/" at its end',
});

export const WebConfig = z.strictObject({
  adapter: z.literal("web").describe("Web pages and `mooring chat`."),
  ...channelFields,
  ...localeFields,
  access: Access.optional().describe("Visitors that may talk to the agent; all by default."),
  allowedOrigins: z
    .array(Origin)
    .default([])
    .describe("Sites that may embed the widget, besides the gateway's own address."),
  signingKey: secret({ minLength: 32 })
    .optional()
    .describe("Signs visitors' tokens. By default a key is generated once and stored."),
  identityKey: secret({ minLength: 32 })
    .optional()
    .describe(
      "Shared with the servers of pages that embed the widget, which sign their visitor's identity with it (JWT, HS256).",
    ),
  previousSigningKey: secret({ minLength: 32 })
    .optional()
    .describe("The signingKey before a rotation: visitors with its tokens get new ones. Remove it after 90 days."),
  previousIdentityKey: secret({ minLength: 32 })
    .optional()
    .describe("The identityKey before a rotation: accepted until the servers of your pages use the new one."),
  voiceInput: z
    .boolean()
    .default(false)
    .describe(
      "Offers visitors to speak their message, in browsers that write down speech. Some, such as Chrome, send the sound to a service of their maker.",
    ),
  retentionDays: z.int().min(1).max(3650).default(30).describe("Days for which the history of a conversation is kept."),
  fileDays: z.int().min(1).max(365).default(7).describe("Days for which uploaded files are kept."),
  limits: WebLimits.prefault({}).describe("Limits per client."),
});
export type WebConfig = z.infer<typeof WebConfig>;

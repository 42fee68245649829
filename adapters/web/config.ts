import { z } from "zod";
import { secret } from "../../core/contract/secret.ts";
import { Access, channelFields, localeFields } from "../contract/config.ts";

const count = (fallback: number) => z.int().min(1).default(fallback);

const bytes = (fallback: number) => z.int().min(100_000).default(fallback);

/** Limits per client. Each gateway process counts alone, except for a visitor's files, which the store counts. */
export const WebLimits = z.strictObject({
  frameBytes: z.int().min(1_024).max(450_000).default(65_536).describe("The largest frame a client may send."),
  textLength: z.int().min(1).max(100_000).default(32_000).describe("The longest message, in characters."),
  messagesPerSecond: z.number().positive().default(2).describe("Messages and commands of one visitor."),
  messageBurst: count(20).describe("How many of them may come at once."),
  messagesPerSecondOfAddress: z
    .number()
    .positive()
    .default(40)
    .describe("Messages and commands from one address, of all visitors there."),
  messageBurstOfAddress: count(400).describe("How many of them may come at once."),
  framesPerSecond: z.number().positive().default(20).describe("Frames of any kind on one connection."),
  frameBurst: count(100).describe("How many of them may come at once."),
  connectionsPerVisitor: count(20),
  connectionsPerAddress: count(200),
  connections: count(20_000),
  fileBytes: z.int().min(1_000).max(20_000_000).default(20_000_000).describe("The largest file a visitor may upload."),
  filesPerVisitor: z.int().min(0).max(200).default(50).describe("Files of one visitor that are kept; 0: no uploads."),
  fileBytesPerVisitor: z.int().min(0).max(1_000_000_000).default(100_000_000).describe("All of them together."),
  unattachedFileMinutes: z
    .number()
    .positive()
    .max(1_440)
    .default(30)
    .describe("A file that no message names within this time is deleted."),
  storedBytesPerVisitor: bytes(100_000_000).describe("Messages and files that one visitor may store within an hour."),
  storedBytesPerAddress: bytes(200_000_000).describe("The same from one address, of all visitors there."),
  storedBytes: bytes(2_000_000_000).describe("The same of all visitors of the channel."),
  minFreeBytes: z
    .int()
    .min(0)
    .default(500_000_000)
    .describe("Files are refused while the disk of the data folder has less space than this; embedded backbone only."),
});
export type WebLimits = z.infer<typeof WebLimits>;

const Origin = z.string().refine((origin) => URL.canParse(origin) && new URL(origin).origin === origin, {
  error: 'must be an origin such as "https://shop.example": lower case, no path and no "/" at its end',
});

export const WebConfig = z.strictObject({
  adapter: z.literal("web"),
  ...channelFields,
  ...localeFields,
  access: Access.optional(),
  allowedOrigins: z
    .array(Origin)
    .default([])
    .describe("Sites that may embed the widget, besides the gateway's own address."),
  signingKey: secret({ minLength: 32 })
    .optional()
    .describe("Signs visitors' tokens. Not configured: made once and kept in the store."),
  identityKey: secret({ minLength: 32 })
    .optional()
    .describe("Shared with the pages that embed the widget: they sign with it who their visitor is (a JWT, HS256)."),
  retentionDays: z.int().min(1).max(3650).default(30).describe("How long a conversation can be read back."),
  fileDays: z.int().min(1).max(365).default(7).describe("How long what visitors upload is kept."),
  limits: WebLimits.prefault({}).describe("What one client may ask of a gateway."),
});
export type WebConfig = z.infer<typeof WebConfig>;

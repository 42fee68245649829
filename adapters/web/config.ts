import { z } from "zod";
import { secret } from "../../core/contract/secret.ts";
import { Access, channelFields, localeFields } from "../contract/config.ts";
import { WebLimits } from "./limits.ts";

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

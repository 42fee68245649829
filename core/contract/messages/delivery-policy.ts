import { z } from "zod";

/** Where an unsolicited answer goes, besides the conversation that its work began in. */
export const Reach = z.enum(["everywhere", "origin", "last-active"]);
export type Reach = z.infer<typeof Reach>;

/** Work that began in a private conversation, in a shared one, by a schedule, or by another agent. */
export const OriginKind = z.enum(["private", "shared", "scheduled", "a2a-inbound"]);
export type OriginKind = z.infer<typeof OriginKind>;

/** "default" is for the kinds that are not named. */
export const DeliveryPolicy = z.partialRecord(z.enum(["default", ...OriginKind.options]), Reach);
export type DeliveryPolicy = z.infer<typeof DeliveryPolicy>;

const LocalTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time such as "22:00"' });

export const TimeZone = z.string().refine(isTimeZone, { error: 'must be a time zone such as "Europe/Berlin"' });

export const Locale = z.string().refine(isLocale, { error: 'must be a language such as "en-GB" or "de"' });

/** From one local time to another, over midnight if the second is the earlier one. */
export const QuietHours = z
  .strictObject({ from: LocalTime, to: LocalTime, timeZone: TimeZone.optional() })
  .refine(({ from, to }) => from !== to, { error: "must begin and end at different times" });
export type QuietHours = z.infer<typeof QuietHours>;

/** As a configuration has it: one word is a policy for all kinds. */
export const DeliveryConfig = z.strictObject({
  policy: z
    .union([Reach.transform((reach): DeliveryPolicy => ({ default: reach })), DeliveryPolicy])
    .optional()
    .describe("Where unsolicited answers go: everywhere, origin or last-active; or one of them per kind of origin."),
  quietHours: QuietHours.optional().describe("When they wait for a digest."),
});
export type DeliveryConfig = z.infer<typeof DeliveryConfig>;

/** What a configuration says where a person has not said it. */
export interface DeliveryDefaults {
  readonly policy?: DeliveryPolicy | undefined;
  readonly quietHours?: QuietHours | undefined;
  readonly timeZone?: string | undefined;
  readonly locale?: string | undefined;
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function isLocale(locale: string): boolean {
  try {
    return Intl.getCanonicalLocales(locale).length === 1;
  } catch {
    return false;
  }
}

import { z } from "zod";

/** The targets of an unsolicited answer besides the conversation in which its work began. */
export const Reach = z.enum(["everywhere", "origin", "last-active"]);
export type Reach = z.infer<typeof Reach>;

/** The start of the work: a private or a shared conversation, a schedule, or another agent. */
export const OriginKind = z.enum(["private", "shared", "scheduled", "a2a-inbound"]);
export type OriginKind = z.infer<typeof OriginKind>;

/** "default" applies to the kinds without their own entry. */
export const DeliveryPolicy = z.partialRecord(z.enum(["default", ...OriginKind.options]), Reach);
export type DeliveryPolicy = z.infer<typeof DeliveryPolicy>;

const LocalTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time such as "22:00"' });

export const TimeZone = z.string().refine(isTimeZone, { error: 'must be a time zone such as "Europe/Berlin"' });

export const Locale = z.string().refine(isLocale, { error: 'must be a language such as "en-GB" or "de"' });

/** From one local time to another; over midnight if `to` is earlier than `from`. */
export const QuietHours = z
  .strictObject({
    from: LocalTime.describe("Local time of the start."),
    to: LocalTime.describe("Local time of the end, on the next day if it is earlier than the start."),
    timeZone: TimeZone.optional().describe(
      "Time zone of both; by default that of the person, else of the channel, else UTC.",
    ),
  })
  .refine(({ from, to }) => from !== to, { error: "must begin and end at different times" });
export type QuietHours = z.infer<typeof QuietHours>;

/** The configured form: a single reach is the policy for all kinds. */
export const DeliveryConfig = z.strictObject({
  policy: z
    .union([Reach.transform((reach): DeliveryPolicy => ({ default: reach })), DeliveryPolicy])
    .optional()
    .describe("Where unsolicited answers go: everywhere, origin or last-active; or one of them per kind of origin."),
  quietHours: QuietHours.optional().describe("When they wait for a digest."),
});
export type DeliveryConfig = z.infer<typeof DeliveryConfig>;

/** The configured values for people without their own settings. */
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

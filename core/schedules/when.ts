import { z } from "zod";

/** When a schedule runs. What a newer version adds survives. */
export const When = z.discriminatedUnion("kind", [
  /** A cron expression of five fields, read in a time zone. */
  z.looseObject({ kind: z.literal("cron"), expression: z.string().min(1), timeZone: z.string().min(1) }),
  /** Once. The zone is for telling it back. */
  z.looseObject({ kind: z.literal("once"), at: z.iso.datetime(), timeZone: z.string().min(1) }),
  /** Again and again, counted from a fixed moment, so that late runs do not shift the next ones. */
  z.looseObject({
    kind: z.literal("every"),
    everyMs: z.int().positive(),
    from: z.iso.datetime(),
    timeZone: z.string().min(1),
  }),
]);
export type When = z.infer<typeof When>;

import { Cron } from "croner";
import { z } from "zod";
import { BoundedCache } from "../../contract/bounded-cache.ts";

/** The times of a schedule. Loose objects keep the fields of newer versions. */
export const When = z.discriminatedUnion("kind", [
  /** A cron expression of five fields, read in a time zone. */
  z.looseObject({ kind: z.literal("cron"), expression: z.string().min(1), timeZone: z.string().min(1) }),
  /** Once. The time zone is for display. */
  z.looseObject({ kind: z.literal("once"), at: z.iso.datetime(), timeZone: z.string().min(1) }),
  /** An interval that counts from a fixed moment, so that late runs do not shift the next ones. */
  z.looseObject({
    kind: z.literal("every"),
    everyMs: z.int().positive(),
    from: z.iso.datetime(),
    timeZone: z.string().min(1),
  }),
]);
export type When = z.infer<typeof When>;

/** The first due time after a moment, if there is one. */
export const nextDue = (when: When, after: number): number | undefined => {
  switch (when.kind) {
    case "once": {
      const at = Date.parse(when.at);
      return at > after ? at : undefined;
    }
    case "every": {
      const from = Date.parse(when.from);
      return from + Math.max(1, Math.floor((after - from) / when.everyMs) + 1) * when.everyMs;
    }
    case "cron":
      return cronOf(when.expression, when.timeZone).nextRun(new Date(after))?.getTime();
  }
};

/** The last due time up to and including a moment, if there was one. */
export const lastDue = (when: When, upTo: number): number | undefined => {
  switch (when.kind) {
    case "once": {
      const at = Date.parse(when.at);
      return at <= upTo ? at : undefined;
    }
    case "every": {
      const rounds = Math.floor((upTo - Date.parse(when.from)) / when.everyMs);
      return rounds < 1 ? undefined : Date.parse(when.from) + rounds * when.everyMs;
    }
    case "cron": {
      // croner searches strictly before a whole second.
      const second = Math.floor(upTo / 1_000) * 1_000 + 1_000;
      const [before] = cronOf(when.expression, when.timeZone).previousRuns(1, new Date(second));
      return before?.getTime();
    }
  }
};

/** Throws croner's error for an invalid expression or time zone. */
export const cronOf = (expression: string, timeZone: string): Cron => {
  const key = `${timeZone} ${expression}`;
  let cron = crons.get(key);
  if (cron === undefined) {
    cron = new Cron(expression, { timezone: timeZone, paused: true });
    crons.set(key, cron);
  }
  return cron;
};

/** Parsing an expression costs as much as a hundred lookups. */
const crons = new BoundedCache<string, Cron>(1_000);

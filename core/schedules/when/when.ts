import { Cron } from "croner";
import { z } from "zod";
import { BoundedCache } from "../../contract/bounded-cache.ts";
import { dateFormat, localeOf } from "../../contract/relative-time.ts";
import { languageOf, type Texts, textsFor } from "../../contract/texts/texts.ts";

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

/** The parsed times as text: "every weekday at 09:00 Europe/Berlin, next: Tue 17 Nov 2026, 09:00". */
export const describeWhen = (when: When, now: number, locale?: string): string => {
  const texts = textsFor(locale).rhythm;
  const moment = (ms: number) => momentIn(ms, when.timeZone, locale);
  const next = nextDue(when, now);
  if (when.kind === "once") return texts.once(moment(Date.parse(when.at)), when.timeZone);
  const rhythm = when.kind === "every" ? intervalText(when.everyMs, texts) : cronText(when, texts);
  return next === undefined ? rhythm : texts.next(rhythm, moment(next));
};

/** Locales other than those of the texts would mix two languages in one sentence. */
export const momentIn = (ms: number, timeZone: string, locale?: string): string => {
  const at = new Date(ms);
  const withSeconds = at.getUTCSeconds() !== 0;
  return dateFormat(localeOf({ locale: languageOf(locale) === undefined ? undefined : locale }), {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    ...(withSeconds && { second: "2-digit" }),
  }).format(at);
};

const UNITS = [
  ["week", 7 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

type Rhythm = Texts["rhythm"];

const intervalText = (ms: number, { every }: Rhythm): string => {
  const [name, unitMs] = UNITS.find(([, unitMs]) => ms % unitMs === 0) ?? (["second", 1_000] as const);
  return every[name](Math.round(ms / unitMs));
};

/** Common cron expressions as text; others verbatim. */
const cronText = ({ expression, timeZone }: Extract<When, { kind: "cron" }>, texts: Rhythm): string => {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = expression.split(" ");
  const days = month === "*" ? daysText(day, weekday, texts) : undefined;
  if (days !== undefined && isNumber(minute) && isNumber(hour)) {
    return texts.at(days, `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`, timeZone);
  }
  const isAllDays = day === "*" && month === "*" && weekday === "*";
  if (isAllDays && hour === "*" && isNumber(minute)) return texts.minuteOfHour(Number(minute));
  const [, step] = /^\*\/(\d+)$/.exec(minute) ?? [];
  if (isAllDays && hour === "*" && (minute === "*" || step !== undefined)) {
    return texts.every.minute(Number(step ?? 1));
  }
  return texts.cron(expression, timeZone);
};

const isNumber = (field: string): boolean => /^\d{1,2}$/.test(field);

const daysText = (day: string, weekday: string, texts: Rhythm): string | undefined => {
  if (day === "*" && weekday === "*") return texts.every.day(1);
  if (day === "*" && /^(?:1-5|mon-fri)$/i.test(weekday)) return texts.weekday;
  const name = texts.days[weekdayOf(weekday.toLowerCase())];
  if (day === "*" && name !== undefined) return texts.on(name);
  if (isNumber(day) && weekday === "*") return texts.dayOfMonth(Number(day));
  return undefined;
};

/** Sunday is 0 and 7; -1 for a field that is not a single day. */
const weekdayOf = (field: string): number =>
  /^[0-7]$/.test(field) ? Number(field) % 7 : ["sun", "mon", "tue", "wed", "thu", "fri", "sat"].indexOf(field);

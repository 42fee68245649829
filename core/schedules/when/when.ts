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

/** The parsed times as text: "every weekday at 09:00 Europe/Berlin, next: Tue 17 Nov 2026, 09:00". */
export const describeWhen = (when: When, now: number): string => {
  const next = nextDue(when, now);
  if (when.kind === "once") return `once, on ${momentIn(Date.parse(when.at), when.timeZone)} ${when.timeZone}`;
  const rhythm = when.kind === "every" ? `every ${duration(when.everyMs)}` : cronText(when.expression, when.timeZone);
  return next === undefined ? rhythm : `${rhythm}, next: ${momentIn(next, when.timeZone)}`;
};

export const momentIn = (ms: number, timeZone: string): string => {
  const at = new Date(ms);
  const withSeconds = at.getUTCSeconds() !== 0;
  return new Intl.DateTimeFormat("en-GB", {
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

const duration = (ms: number): string => {
  const [name, unitMs] = UNITS.find(([, unitMs]) => ms % unitMs === 0) ?? ["second", 1_000];
  const count = Math.round(ms / unitMs);
  return count === 1 ? name : `${count} ${name}s`;
};

/** Common cron expressions as text; others verbatim. */
const cronText = (expression: string, timeZone: string): string => {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = expression.split(" ");
  const days = month === "*" ? daysText(day, weekday) : undefined;
  if (days !== undefined && isNumber(minute) && isNumber(hour)) {
    return `${days} at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")} ${timeZone}`;
  }
  const isAllDays = day === "*" && month === "*" && weekday === "*";
  if (isAllDays && hour === "*" && isNumber(minute)) return `every hour at minute ${Number(minute)}`;
  const [, step] = /^\*\/(\d+)$/.exec(minute) ?? [];
  if (isAllDays && hour === "*" && (minute === "*" || step !== undefined)) {
    return step === undefined || step === "1" ? "every minute" : `every ${step} minutes`;
  }
  return `by the cron expression "${expression}" in ${timeZone}`;
};

const isNumber = (field: string): boolean => /^\d{1,2}$/.test(field);

const daysText = (day: string, weekday: string): string | undefined => {
  if (day === "*" && weekday === "*") return "every day";
  if (day === "*" && /^(?:1-5|mon-fri)$/i.test(weekday)) return "every weekday";
  if (day === "*" && WEEKDAYS.has(weekday.toLowerCase())) return `every ${WEEKDAYS.get(weekday.toLowerCase())}`;
  if (isNumber(day) && weekday === "*") return `on day ${Number(day)} of every month`;
  return undefined;
};

const NAMES = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const WEEKDAYS: ReadonlyMap<string, string> = new Map(
  NAMES.flatMap((name, index): [string, string][] => [
    [String(index), name],
    [name.slice(0, 3).toLowerCase(), name],
    ...(index === 0 ? [["7", name] as [string, string]] : []),
  ]),
);

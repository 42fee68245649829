import { nextDue, type When } from "./when.ts";

/** The parsed times as text: "every weekday at 09:00 Europe/Berlin, next: Tue 17 Nov 2026, 09:00". */
export const describeWhen = (when: When, now: number): string => {
  const next = nextDue(when, now);
  if (when.kind === "once") return `once, on ${moment(Date.parse(when.at), when.timeZone)} ${when.timeZone}`;
  const rhythm = when.kind === "every" ? `every ${duration(when.everyMs)}` : inWords(when.expression, when.timeZone);
  return next === undefined ? rhythm : `${rhythm}, next: ${moment(next, when.timeZone)}`;
};

const moment = (ms: number, timeZone: string): string => {
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
const inWords = (expression: string, timeZone: string): string => {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = expression.split(" ");
  const days = month === "*" ? daysInWords(day, weekday) : undefined;
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

const daysInWords = (day: string, weekday: string): string | undefined => {
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

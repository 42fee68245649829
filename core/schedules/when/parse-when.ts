import { AppError, messageOf } from "../../contract/app-error.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { type Reader, type ReadTime, readWords } from "./read-words.ts";
import { cronOf, momentIn, nextDue, type When } from "./when.ts";

/** Every run costs model calls, so schedules have a shortest interval. */
const MIN_INTERVAL_MS = 60_000;
const MAX_AHEAD_MS = 10 * 366 * 24 * 3_600_000;

const FORMS = 'Use a cron expression ("0 9 * * 1-5"), a time ("2026-03-10T09:00"), "in 20 s" or "every 2 h".';

/** Parses the text of a person or a model in their time zone. Throws "bad-input" with the accepted forms. */
export const parseWhen = (text: string, { now, timeZone }: { now: number; timeZone: string }): When => {
  const when = readWhen(text, { now, timeZone });
  checkAhead(normalised(text), when, now);
  return when;
};

/** Like parseWhen, and also reads people's own words, such as "tomorrow at 9" (M2). */
export const understandWhen = async (text: string, reader: Reader): Promise<ReadTime> => {
  const given = normalised(text);
  checkZone(reader.timeZone);
  if (isFixedForm(given)) return { when: parseWhen(given, reader) };
  const read = await readWords(given, reader);
  if (read === undefined) throw notUnderstood(given, 'Use words such as "tomorrow at 9" or "every weekday at 8". ');
  checkAhead(given, read.when, reader.now);
  return read;
};

const isFixedForm = (text: string): boolean =>
  isRelative(text) || TIME.test(text) || /^@\w+$/.test(text) || /^[\d*/,-]+ [\d*/,-]+ [\d*/,?L-]+ \S+ \S+/.test(text);

const checkAhead = (given: string, when: When, now: number): void => {
  const next = nextDue(when, now);
  if (next === undefined) {
    throw new AppError(
      "bad-input",
      when.kind === "once"
        ? `"${given.slice(0, 100)}" has already passed: it is now ${momentIn(now, when.timeZone)} ${when.timeZone}.`
        : `"${given.slice(0, 100)}" is a date that never occurs.`,
    );
  }
  if (next > now + MAX_AHEAD_MS) {
    throw new AppError("bad-input", `"${given.slice(0, 100)}" is more than ten years away.`);
  }
};

/** Like parseWhen, but accepts times in the past. */
export const readWhen = (text: string, { now, timeZone }: { now: number; timeZone: string }): When => {
  const given = normalised(text);
  checkZone(timeZone);
  return relative(given, now, timeZone) ?? absolute(given, timeZone) ?? cron(given, timeZone);
};

const normalised = (text: string): string => text.trim().replace(/\s+/g, " ");

const checkZone = (timeZone: string): void => {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch {
    throw new AppError("bad-input", `"${timeZone}" is not a time zone. Use a name such as Europe/Berlin.`);
  }
};

const RELATIVE = /^(in|every) (?:(\d{1,9}(?:\.\d{1,3})?) ?)?([a-z]+)$/i;
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:s|secs?|seconds?)$/i, 1_000],
  [/^(?:m|mins?|minutes?)$/i, 60_000],
  [/^(?:h|hrs?|hours?)$/i, 3_600_000],
  [/^(?:d|days?)$/i, 86_400_000],
  [/^(?:w|weeks?)$/i, 7 * 86_400_000],
];

const isRelative = (text: string): boolean => {
  const [, , , unit = ""] = RELATIVE.exec(text) ?? [];
  return UNITS.some(([name]) => name.test(unit));
};

const relative = (text: string, now: number, timeZone: string): When | undefined => {
  const [, keyword, count = "1", unit = ""] = RELATIVE.exec(text) ?? [];
  const unitMs = UNITS.find(([name]) => name.test(unit))?.[1];
  if (keyword === undefined || unitMs === undefined) return undefined;
  const ms = Math.round(Number(count) * unitMs);
  if (ms < 1_000) throw new AppError("bad-input", `"${text}" is too short: the minimum is one second.`);
  if (keyword.toLowerCase() === "in")
    return { kind: "once", at: isoTime(now + Math.min(ms, 2 * MAX_AHEAD_MS)), timeZone };
  if (ms < MIN_INTERVAL_MS) throw tooOften();
  return { kind: "every", everyMs: ms, from: isoTime(now), timeZone };
};

const TIME = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?: ?(Z|[+-]\d{2}:?\d{2}))?)?$/i;

const absolute = (text: string, timeZone: string): When | undefined => {
  const parts = TIME.exec(text);
  if (parts === null) return undefined;
  const [, year = "", month = "", day = "", hour = "00", minute = "00", second = "00", offset] = parts;
  const spelled = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  // Date shifts invalid dates such as 30 February, so that they differ after the round trip.
  const asUtc = new Date(`${spelled}Z`);
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString().slice(0, 19) !== spelled) {
    throw new AppError("bad-input", `"${text}" is a date or a time that does not exist.`);
  }
  const at = offset === undefined ? inZone(spelled, timeZone) : Date.parse(`${spelled}${withColon(offset)}`);
  if (Number.isNaN(at)) throw new AppError("bad-input", `"${text}" is not a time. ${FORMS}`);
  return { kind: "once", at: isoTime(at), timeZone };
};

const withColon = (offset: string): string => offset.toUpperCase().replace(/^([+-]\d{2}):?(\d{2})$/, "$1:$2");

/** A time that daylight saving skips becomes the moment after the gap. */
const inZone = (spelled: string, timeZone: string): number =>
  cronOf(spelled, timeZone).nextRun(new Date(0))?.getTime() ?? Number.NaN;

const cron = (expression: string, timeZone: string): When => {
  const fields = expression.split(" ").length;
  if (fields === 6 || fields === 7) throw tooOften();
  if (fields !== 5 && !/^@(?:yearly|annually|monthly|weekly|daily|hourly)$/i.test(expression)) {
    throw notUnderstood(expression);
  }
  try {
    cronOf(expression, timeZone);
  } catch (error) {
    throw new AppError(
      "bad-input",
      `"${expression.slice(0, 100)}" is not a cron expression: ${messageOf(error)}. ${FORMS}`,
    );
  }
  return { kind: "cron", expression, timeZone };
};

const notUnderstood = (text: string, advice = "") =>
  new AppError("bad-input", `"${text.slice(0, 100)}" is not a time that I understand. ${advice}${FORMS}`);

const tooOften = () =>
  new AppError(
    "bad-input",
    "That is too often: the shortest interval is one minute. Cron expressions have five fields.",
  );

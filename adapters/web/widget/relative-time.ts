const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, as a person would say it: elapsed time under a day, then calendar days of the viewer (O11). */
export const relativeTime = (then: number, now: number, locale: string, timeZone?: string): string => {
  const elapsed = now - then;
  const prose = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  if (elapsed < MINUTE) return locale.startsWith("en") ? "just now" : prose.format(0, "second");
  if (elapsed < HOUR)
    return short(locale)
      .format(-Math.floor(elapsed / MINUTE), "minute")
      .replace("min.", "min");
  if (elapsed < DAY) {
    const minutes = Math.floor((elapsed % HOUR) / MINUTE);
    const hours = Math.floor(elapsed / HOUR);
    if (locale.startsWith("en")) return `${hours}h${minutes ? ` ${minutes}m` : ""} ago`;
    return short(locale).format(-hours, "hour");
  }
  const days = dayNumber(now, timeZone) - dayNumber(then, timeZone);
  if (days < 7) return prose.format(-Math.max(1, days), "day");
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", ...(timeZone && { timeZone }) }).format(then);
};

const short = (locale: string) => new Intl.RelativeTimeFormat(locale, { numeric: "always", style: "short" });

/** The viewer's calendar day, counted. */
const dayNumber = (time: number, timeZone?: string): number => {
  const date = new Intl.DateTimeFormat("en-CA", { dateStyle: "short", ...(timeZone && { timeZone }) }).format(time);
  return Date.parse(date) / DAY;
};

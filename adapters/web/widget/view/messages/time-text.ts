/** "21:14" */
export const timeOfDay = (at: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(new Date(at));

/** "21:14", with the date unless it is today, and with the year unless it is this one. */
export const clockTime = (at: string, now: number, locale: string): string => {
  const time = timeOfDay(at, locale);
  if (dayOf(at) === dayOf(now)) return time;
  const date = new Date(at);
  const day = new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "short",
    ...(date.getFullYear() !== new Date(now).getFullYear() && { year: "numeric" as const }),
  }).format(date);
  return `${day}, ${time}`;
};

/** The day of a time, in the browser's zone. */
export const dayOf = (at: string | number): string => new Date(at).toDateString();

/** "Today", "Yesterday", "Friday, 6 March", and with the year if it is another one. */
export const dayText = (at: string, now: number, locale: string): string => {
  const daysAgo = Math.round((Date.parse(dayOf(now)) - Date.parse(dayOf(at))) / DAY_MS);
  if (daysAgo === 0 || daysAgo === 1) {
    const text = new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(-daysAgo, "day");
    return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
  }
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(locale, {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(!isThisYear && { year: "numeric" }),
  }).format(new Date(at));
};

/** Rounded by the caller, because a day with a clock change is an hour shorter or longer. */
const DAY_MS = 24 * 3_600_000;

/** "12 s", "2 min 5 s", "1 h 4 min". */
export const elapsedText = (ms: number): string => {
  // The browser's clock may be behind the gateway's.
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

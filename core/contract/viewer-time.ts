/** How the person who looks at a time reads times. What a platform reported may be nonsense: it then counts as absent. */
export interface ViewerTime {
  readonly timeZone?: string | undefined;
  readonly locale?: string | undefined;
}

/** British English reads like the examples of the specification: 21:14, 3 Mar 2026. */
const DEFAULT_LOCALE = "en-GB";

export const localeOf = ({ locale }: ViewerTime): string => {
  try {
    return Intl.getCanonicalLocales(locale?.replaceAll("_", "-"))[0] ?? DEFAULT_LOCALE;
  } catch {
    return DEFAULT_LOCALE;
  }
};

export const timeZoneOf = ({ timeZone }: ViewerTime): string => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: timeZone || "UTC" }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
};

/** Days between two moments as the viewer's calendar counts them. */
export const calendarDaysBetween = (from: number, to: number, viewer: ViewerTime): number => {
  const day = new Intl.DateTimeFormat("en-CA", {
    timeZone: timeZoneOf(viewer),
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const dayNumber = (ms: number) => {
    const parts = Object.fromEntries(day.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(parts.year ?? 0, (parts.month ?? 1) - 1, parts.day) / DAY_MS;
  };
  return Math.round(dayNumber(to) - dayNumber(from));
};

const DAY_MS = 86_400_000;

import { useEffect, useReducer } from "preact/hooks";
import { relativeTime } from "../../../../core/contract/relative-time.ts";

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const short = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** A past time relative to now, or a future time as a date. The title has the exact time. */
export const When = ({ at }: { at: string | undefined | null }) => {
  const now = useNow();
  if (at === undefined || at === null) return <span class="faint">never</span>;
  const then = Date.parse(at);
  const isFuture = then > now + 5_000;
  return (
    <time dateTime={at} title={full.format(then)}>
      {isFuture ? short.format(then) : relativeTime(then, now, { locale: "en", timeZone })}
    </time>
  );
};

/** The zone of the operator's browser. */
export const OWN_ZONE: string = timeZone;

/** A date in a zone, such as "Tue 17 Nov, 09:00". A zone that the browser does not know is shown in the operator's. */
export const ZonedTime = ({ at, timeZone: zone }: { at: string; timeZone: string }) => (
  <time dateTime={at}>{formatIn(zone).format(Date.parse(at))}</time>
);

const formatIn = (zone: string): Intl.DateTimeFormat => {
  const parts = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;
  try {
    return new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: zone });
  } catch {
    return short;
  }
};

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** "21:14:05"; the title has the date. */
export const ClockTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={full.format(Date.parse(at))}>
    {clock.format(Date.parse(at))}
  </time>
);

/** "340 ms", "4.2 s", "2 min 5 s", "1 h 4 min". */
export const durationText = (from: string, to: string): string => durationOf(Date.parse(to) - Date.parse(from));

export const durationOf = (given: number): string => {
  const ms = Math.max(0, Math.round(given));
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

const TICK_MS = 10_000;
const watching = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The current time, updated while the page is visible. All components share one timer. */
const useNow = (): number => {
  const [, redraw] = useReducer((ticks: number) => ticks + 1, 0);
  useEffect(() => {
    const watch = () => redraw(undefined);
    watching.add(watch);
    timer ??= setInterval(() => {
      if (!document.hidden) for (const each of watching) each();
    }, TICK_MS);
    return () => {
      watching.delete(watch);
      if (watching.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return Date.now();
};
